// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/plan"
)

const benchmarkText = `
# A benchmark on a disk.
apiVersion: zfsbench.io/v1alpha1
kind: ZfsBenchmark
metadata: {name: b, uid: 0c7c9a41-8a2e-4fbb-9f4d-1f2d3c4b5a69}
spec:
  nodes: {names: [storage-0]}
  devices: [{name: d0, path: /dev/disk/by-id/x}]
  pool: {vdevs: [{type: stripe, devices: [d0]}]}
  workloads: [{name: w, fio: {rw: write, size: 1Mi}}]
`

const policyText = `
apiVersion: zfsbench.io/v1alpha1
kind: BenchmarkDevicePolicy
metadata: {name: p}
spec:
  node: {name: storage-0, uid: some-other-uid}
  namespaces: [default]
  devices: [{path: /dev/disk/by-id/x, serial: s, size: 1Gi}]
`

// files writes texts into files and returns their names.
func files(t *testing.T, texts ...string) []string {
	t.Helper()
	var names []string
	dir := t.TempDir()
	for i, text := range texts {
		name := filepath.Join(dir, string(rune('a'+i))+".yaml")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

func TestManifestBecomesAPlan(t *testing.T) {
	scratch := plan.Scratch{Directory: "/var/lib/zfsbench", LimitBytes: 1 << 30}
	var digests []string
	for name, names := range map[string][]string{
		"one file":       files(t, benchmarkText+"\n---\n"+policyText+"---\n# nothing\n"),
		"two files":      files(t, policyText, benchmarkText),
		"standard input": append(files(t, policyText), "-"),
	} {
		t.Run(name, func(t *testing.T) {
			m, err := readManifest(names, strings.NewReader(benchmarkText))
			if err != nil {
				t.Fatal(err)
			}
			p, err := m.plan("Storage-0", scratch)
			if err != nil {
				t.Fatal(err)
			}
			want := []plan.Device{{Name: "d0", Path: "/dev/disk/by-id/x", Serial: "s", SizeBytes: 1 << 30}}
			if diff := cmp.Diff(want, p.Devices); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if p.Benchmark.Namespace != "default" || p.Benchmark.UID == string(m.benchmark.UID) ||
				p.Workloads[0].Fio.BS != "4k" {
				t.Errorf("plan %+v", p)
			}
			digests = append(digests, plan.Digest(p))
		})
	}
	for _, digest := range digests {
		if digest != digests[0] {
			t.Errorf("the same manifest gives different plans: %v", digests)
		}
	}
}

func TestManifestIsRefused(t *testing.T) {
	tests := map[string]struct {
		texts []string
		want  string
	}{
		"no benchmark":     {[]string{policyText}, "no ZfsBenchmark"},
		"two benchmarks":   {[]string{benchmarkText, benchmarkText}, "more than one"},
		"another kind":     {[]string{strings.Replace(benchmarkText, "ZfsBenchmark", "Pod", 1)}, `kind "Pod"`},
		"another API":      {[]string{strings.Replace(benchmarkText, "v1alpha1", "v1", 1)}, "zfsbench.io/v1"},
		"a misspelt field": {[]string{strings.Replace(benchmarkText, "workloads", "workload", 1)}, "workload"},
		"no YAML":          {[]string{"{"}, "yaml"},
		"an invalid spec": {[]string{strings.Replace(benchmarkText, "rw: write", "rw: trim", 1)},
			"spec.workloads[0].fio.rw"},
		"an invalid policy": {[]string{benchmarkText, strings.Replace(policyText, "/dev/disk/by-id/x", "/dev/sda", 1)},
			"BenchmarkDevicePolicy p"},
		"no document at all":  {[]string{"hello"}, "yaml"},
		"a list of something": {[]string{"[1]"}, "yaml"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := readManifest(files(t, test.texts...), nil)
			if err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(test.want)) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestPlanIsRefused(t *testing.T) {
	tests := map[string]struct{ text, host, want string }{
		"another host": {benchmarkText + "---\n" + policyText, "storage-1", "this host is storage-1"},
		"no consent":   {benchmarkText, "storage-0", "No BenchmarkDevicePolicy lets"},
		"another namespace": {
			strings.Replace(benchmarkText, "{name: b,", "{name: b, namespace: other,", 1) + "---\n" + policyText, "storage-0",
			"namespace other",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m, err := readManifest(files(t, test.text), nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.plan(test.host, plan.Scratch{Directory: "/x", LimitBytes: 1}); err == nil ||
				!strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}
