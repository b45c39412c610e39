// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const benchmark = `
# A benchmark on a disk.
apiVersion: zfsbench.io/v1alpha1
kind: ZfsBenchmark
metadata: {name: b}
spec:
  nodes: {names: [storage-0]}
  devices: [{name: d0, path: /dev/disk/by-id/x}]
  pool: {vdevs: [{type: stripe, devices: [d0]}]}
  workloads: [{name: w, fio: {rw: write, size: 1Mi}}]
`

const policy = `
apiVersion: zfsbench.io/v1alpha1
kind: BenchmarkDevicePolicy
metadata: {name: p}
spec:
  node: {name: storage-0, uid: some-uid}
  namespaces: [default]
  devices: [{path: /dev/disk/by-id/x, serial: s, size: 1Gi}]
`

func TestReadFiles(t *testing.T) {
	name := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(name, []byte(policy+"---\n# nothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := ReadFiles([]string{name, "-"}, strings.NewReader(benchmark))
	if err != nil {
		t.Fatal(err)
	}
	b, policies, err := m.Decode()
	if err != nil {
		t.Fatal(err)
	}
	if b.Name != "b" || b.Spec.Workloads[0].Fio.BS != "4k" || len(policies) != 1 || policies[0].Name != "p" {
		t.Errorf("benchmark %+v, policies %+v", b, policies)
	}
	if m.Benchmark.File != "-" || m.Policies[0].File != name {
		t.Errorf("read from %s and %s", m.Benchmark.File, m.Policies[0].File)
	}
}

// TestErrorsNameTheFile: of several files, the error says in which one to look.
func TestErrorsNameTheFile(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"a benchmark": {strings.Replace(benchmark, "rw: write", "rw: trim", 1),
			"-: ZfsBenchmark b: spec.workloads[0].fio.rw"},
		"a policy": {benchmark + "---\n" + strings.Replace(policy, "/dev/disk/by-id/x", "/dev/sda", 1),
			"-: BenchmarkDevicePolicy p: spec.devices[0].path"},
		"a kind": {strings.Replace(benchmark, "ZfsBenchmark", "Pod", 1), `-: kind "Pod"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m, err := ReadFiles([]string{"-"}, strings.NewReader(test.text))
			if err == nil {
				_, _, err = m.Decode()
			}
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}
