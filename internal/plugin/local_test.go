// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// empty is a kubeconfig without a cluster.
func empty(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(name, []byte("apiVersion: v1\nkind: Config\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestLocally(t *testing.T) {
	code, stdout, stderr := run(t, empty(t), disk, "plan", "-f", "-")
	for _, text := range []string{"storage-0   Unchecked   1", "offers what the benchmark uses was not checked"} {
		if !strings.Contains(stdout, text) {
			t.Errorf("%q is not in\n%s", text, stdout)
		}
	}
	if code != 0 || stderr != "No cluster is configured: everything is checked here, as with --local.\n" {
		t.Errorf("code %d: %s", code, stderr)
	}
	// With policies, consent is checked, too.
	code, stdout, stderr = run(t, empty(t), disk, "plan", "--local", "-f", "-", "-f", "../../config/samples/policy.yaml")
	if code != exitRefused || !strings.Contains(stdout, "No BenchmarkDevicePolicy lets namespace default overwrite d0") {
		t.Errorf("code %d: %s%s", code, stdout, stderr)
	}
	code, stdout, stderr = run(t, empty(t), strings.Replace(disk, "x}", "virtio-zfsbench-d0}", 1), "plan", "--local",
		"-f", "-", "-f", "../../config/samples/policy.yaml")
	if code != 0 || !strings.Contains(stdout, "storage-0   Given") || stderr != "" {
		t.Errorf("code %d: %s%s", code, stdout, stderr)
	}
	code, _, stderr = run(t, empty(t), strings.Replace(disk, "rw: write", "rw: trim", 1), "plan", "--local", "-f", "-")
	if code != exitRefused || !strings.Contains(stderr, "-: ZfsBenchmark b: spec.workloads[0].fio.rw") {
		t.Errorf("code %d: %s", code, stderr)
	}
}

func TestNoCluster(t *testing.T) {
	for _, args := range [][]string{{"run", "-f", "-"}, {"plan", "b"}} {
		code, _, stderr := run(t, empty(t), disk, args...)
		if code != exitError || !strings.Contains(stderr, "no cluster is configured: set KUBECONFIG") {
			t.Errorf("%v: code %d: %s", args, code, stderr)
		}
	}
}

func TestInit(t *testing.T) {
	code, manifest, stderr := run(t, empty(t), "", "init", "records", "--node", "storage-0", "--device",
		"/dev/disk/by-id/a", "--device", "/dev/disk/by-id/b", "--namespace", "team-a")
	if code != 0 || !strings.Contains(manifest, "name: records\n  namespace: team-a\n") {
		t.Fatalf("code %d: %s%s", code, manifest, stderr)
	}
	code, stdout, stderr := run(t, empty(t), manifest, "plan", "--local", "-f", "-")
	if code != 0 || !strings.Contains(stdout, "recordsize=16K    mirror d0 d1") {
		t.Errorf("code %d: %s%s", code, stdout, stderr)
	}
	if code, _, stderr := run(t, empty(t), "", "init"); code != exitError ||
		!strings.Contains(stderr, "--node is missing") {
		t.Errorf("code %d: %s", code, stderr)
	}
}

// TestHelp: every command has an example, and none is shown under another name than kubectl's.
func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"devices", "--help"}, {"allow", "--help"}, {"init", "--help"},
		{"plan", "--help"}, {"run", "--help"}} {
		code, stdout, _ := run(t, empty(t), "", args...)
		if code != 0 || !strings.Contains(stdout, "Examples:\n") || strings.Contains(stdout, "kubectl-zfsbench") {
			t.Errorf("%v: code %d:\n%s", args, code, stdout)
		}
	}
}
