// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/spec/validate"
)

func TestBenchmark(t *testing.T) {
	tests := map[string]struct {
		values Values
		want   []string
	}{
		"a file": {Values{Name: "first", Nodes: []string{"storage-0"}},
			[]string{"name: first", "names: [storage-0]", "file: {size: 1Gi}", "type: stripe, devices: [d0]"}},
		"a disk": {Values{Name: "first", Namespace: "team-a", Nodes: []string{"storage-0", "storage-1"},
			Devices: []string{"/dev/disk/by-id/wwn-0x5000"}},
			[]string{"namespace: team-a", "names: [storage-0, storage-1]", "path: /dev/disk/by-id/wwn-0x5000", "type: stripe"}},
		"disks": {Values{Name: "first", Nodes: []string{"a-0"},
			Devices: []string{"/dev/disk/by-id/a", "/dev/disk/by-id/b", "/dev/disk/by-id/c"}},
			[]string{"type: mirror, devices: [d0, d1, d2]"}},
		"names that look like numbers": {Values{Name: "1-1", Nodes: []string{"2024-11-24", "1e3", "no", "true"}},
			[]string{`"1e3", "no", "true"]`, "name: 1-1\n"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			text, err := Benchmark(test.values)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range test.want {
				if !strings.Contains(string(text), want) {
					t.Errorf("%s is not in\n%s", want, text)
				}
			}
			b, err := validate.ReadBenchmark(text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.values.Nodes, b.Spec.Nodes.Names); diff != "" || b.Namespace != test.values.Namespace {
				t.Errorf("namespace %q, nodes (-want +got):\n%s", b.Namespace, diff)
			}
		})
	}
}

// TestRefused: no value gets around the API's own rules, or adds a field.
func TestRefused(t *testing.T) {
	tests := map[string]struct {
		values Values
		want   string
	}{
		"a path that changes": {Values{Name: "b", Nodes: []string{"n-0"}, Devices: []string{"/dev/sda"}},
			"spec.devices[0].path"},
		"the same disk twice": {Values{Name: "b", Nodes: []string{"n-0"},
			Devices: []string{"/dev/disk/by-id/a", "/dev/disk/by-id/a"}}, "more than once"},
		"a name":      {Values{Name: "B_", Nodes: []string{"n-0"}}, "metadata.name"},
		"more fields": {Values{Name: "b", Nodes: []string{"n-0]}\n  suspend: true\n#"}}, "spec.nodes"},
		"no node":     {Values{Name: "b"}, "spec.nodes"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if text, err := Benchmark(test.values); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q; text\n%s", err, test.want, text)
			}
		})
	}
}
