// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/config/samples/cases"
	"zfsbench.io/operator/internal/spec/validate"
)

// TestCase: a case for a class, and one for paths, differs from the case's manifest in name, nodes and disks alone.
func TestCase(t *testing.T) {
	all, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		t.Run(c.Name, func(t *testing.T) {
			before, err := validate.ReadBenchmark([]byte(c.Manifest))
			if err != nil {
				t.Fatal(err)
			}
			byPath := Values{Name: "mine", Namespace: "team-a", Nodes: []string{"n-0"}}
			for _, d := range before.Spec.Devices {
				byPath.Devices = append(byPath.Devices, "/dev/disk/by-id/wwn-"+d.Name)
			}
			byClass := Values{Name: "mine", Nodes: []string{"n-0", "n-1"}, Class: "ssd"}
			for _, v := range []Values{byPath, byClass} {
				text, err := Case(c, v)
				if err != nil {
					t.Fatal(err)
				}
				b, err := validate.ReadBenchmark(text)
				if err != nil {
					t.Fatal(err)
				}
				comments, _, _ := strings.Cut(c.Manifest, "apiVersion:")
				if !strings.HasPrefix(string(text), comments) || strings.Contains(string(text), "Yours") {
					t.Errorf("other comments:\n%s", text)
				}
				if b.Name != "mine" || b.Namespace != v.Namespace {
					t.Errorf("it is called %s/%s", b.Namespace, b.Name)
				}
				checkDevices(t, b.Spec, before.Spec, v)
				b.Spec.Nodes, b.Spec.Devices = before.Spec.Nodes, before.Spec.Devices
				if diff := cmp.Diff(before.Spec, b.Spec); diff != "" {
					t.Errorf("what else differs (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func checkDevices(t *testing.T, got, before v1alpha1.ZfsBenchmarkSpec, v Values) {
	t.Helper()
	if diff := cmp.Diff(v.Nodes, got.Nodes.Names); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	var names, paths []string
	for _, d := range got.Devices {
		if d.Class != v.Class {
			t.Errorf("device %s has class %q, want %q", d.Name, d.Class, v.Class)
		}
		for _, disk := range d.Numbered() {
			names = append(names, disk.Name)
		}
		if d.Path != "" {
			paths = append(paths, d.Path)
		}
	}
	if strings.Join(names, ", ") != namesOf(before.Devices) {
		t.Errorf("disks %v, want %s", names, namesOf(before.Devices))
	}
	if diff := cmp.Diff(v.Devices, paths); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
}

func TestCaseRefuses(t *testing.T) {
	if _, err := CaseOf("oracle"); err == nil || !strings.Contains(err.Error(), "--case list") {
		t.Errorf("error %v", err)
	}
	etcd, err := CaseOf("etcd")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		values Values
		want   string
	}{
		"too few disks": {Values{Name: "a", Nodes: []string{"n-0"}, Devices: []string{"/dev/disk/by-id/a"}},
			"case etcd uses 2 disks (d0, d1), and there are 1"},
		"a path that changes": {Values{Name: "a", Nodes: []string{"n-0"}, Devices: []string{"/dev/sda", "/dev/sdb"}},
			"spec.devices[0].path"},
		"more fields": {Values{Name: "a", Nodes: []string{"n-0"}, Class: "a, count: 1}\n  dryRun: true"}, "class"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if text, err := Case(etcd, test.values); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q\n%s", err, test.want, text)
			}
		})
	}
}

// TestFillForACase: a node with fewer disks than a case needs is left out, and a class that all have is not enough.
func TestFillForACase(t *testing.T) {
	tests := map[string]struct {
		nodes map[string][]string
		want  Values
		err   string
	}{
		"a class": {map[string][]string{"a": {"10/hdd", "11/hdd", "12/hdd"}, "b": {"10/hdd"},
			"c": {"10/hdd", "11/hdd", "20/hdd"}},
			Values{Nodes: []string{"a", "c"}, Class: "hdd", Count: 3}, ""},
		"another class": {map[string][]string{"a": {"10/hdd", "11/hdd", "12/ssd", "13/ssd", "14/ssd"},
			"b": {"10/hdd", "11/hdd"}},
			Values{Nodes: []string{"a"}, Class: "ssd", Count: 3}, ""},
		"no class": {map[string][]string{"a": {"10", "11"}, "b": {"10", "20", "11", "12", "13"}},
			Values{Nodes: []string{"b"}, Devices: []string{"/dev/disk/by-id/b10", "/dev/disk/by-id/b11",
				"/dev/disk/by-id/b12"}}, ""},
		"too few": {map[string][]string{"a": {"10", "11"}, "b": {"10/hdd"}}, Values{},
			"3 blank disks of one class or one size are needed, and policies offer namespace team-a 2 on any node"},
		"none": {map[string][]string{"a": nil}, Values{}, "offer namespace team-a 0 on any node"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := Cluster{Disks: 3}
			for node, disks := range test.nodes {
				add(&c, node, disks...)
			}
			var v Values
			_, err := c.Fill(&v, "team-a")
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, v); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
		})
	}
}
