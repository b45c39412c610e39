// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

// add adds a node, and a policy that offers its blank disks to team-a. Each disk is NUMBER or NUMBER/CLASS; its size is
// that of the first digit.
func add(c *Cluster, node string, disks ...string) {
	s := v1alpha1.NodeStorage{ObjectMeta: metav1.ObjectMeta{Name: node}}
	s.Status.NodeUID = "uid-" + node
	p := v1alpha1.BenchmarkDevicePolicy{ObjectMeta: metav1.ObjectMeta{Name: node}}
	p.Spec.Node = v1alpha1.PolicyNode{Name: node, UID: s.Status.NodeUID}
	p.Spec.Namespaces = []string{"team-a"}
	for _, disk := range disks {
		number, class, _ := strings.Cut(disk, "/")
		size := int64(number[0]-'0') << 30
		d := v1alpha1.NodeDisk{Path: "/dev/disk/by-id/" + node + number, Serial: number, SizeBytes: size,
			Verdict: v1alpha1.DiskBlank}
		s.Status.Disks = append(s.Status.Disks, d)
		p.Spec.Devices = append(p.Spec.Devices, v1alpha1.PolicyDevice{Path: d.Path, Serial: d.Serial, Class: class,
			Size: *resource.NewQuantity(size, resource.DecimalSI)})
	}
	c.Storages, c.Policies = append(c.Storages, s), append(c.Policies, p)
}

func TestFill(t *testing.T) {
	tests := map[string]struct {
		nodes map[string][]string
		asked []string
		want  Values
		note  string
	}{
		"one class": {map[string][]string{"b": {"10/hdd", "11/hdd", "12/hdd"}, "a": {"10/hdd", "11/hdd"}}, nil,
			Values{Nodes: []string{"a", "b"}, Class: "hdd", Count: 2}, "disks of class hdd on a, b"},
		"the class that most have": {map[string][]string{"a": {"10/hdd", "20/nvme"}, "b": {"20/nvme"}}, nil,
			Values{Nodes: []string{"a", "b"}, Class: "nvme", Count: 1}, "class nvme"},
		"no class": {map[string][]string{"b": {"10"}, "a": {"20", "10", "11", "12"}}, nil,
			Values{Nodes: []string{"a"}, Devices: []string{"/dev/disk/by-id/a10", "/dev/disk/by-id/a11"}},
			"put their disks into a class"},
		"a node": {map[string][]string{"a": {"10"}, "b": {"10"}}, []string{"b"},
			Values{Nodes: []string{"b"}, Devices: []string{"/dev/disk/by-id/b10"}}, "disks of node b."},
		"no disks": {map[string][]string{"a": nil, "b": nil}, nil, Values{Nodes: []string{"a"}},
			"`kubectl zfsbench allow a --namespace team-a --blank --apply`"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var c Cluster
			for node, disks := range test.nodes {
				add(&c, node, disks...)
			}
			v := Values{Nodes: test.asked}
			note, err := c.Fill(&v, "team-a")
			if err != nil || !strings.Contains(note, test.note) {
				t.Fatalf("note %q, error %v", note, err)
			}
			if diff := cmp.Diff(test.want, v); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
			v.Name = "b"
			if _, err := Benchmark(v); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestFillTakesNoOther: only disks that are offered to this namespace on this very node, and are blank, are used.
func TestFillTakesNoOther(t *testing.T) {
	changes := map[string]func(*Cluster){
		"another namespace":     func(c *Cluster) { c.Policies[0].Spec.Namespaces = []string{"team-b"} },
		"a replaced node":       func(c *Cluster) { c.Storages[0].Status.NodeUID = "other" },
		"in use":                func(c *Cluster) { c.Storages[0].Status.Disks[0].Verdict = v1alpha1.DiskInUse },
		"another serial number": func(c *Cluster) { c.Storages[0].Status.Disks[0].Serial = "other" },
		"gone":                  func(c *Cluster) { c.Storages[0].Status.Disks = nil },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			var c Cluster
			add(&c, "a", "10/hdd")
			change(&c)
			var v Values
			if _, err := c.Fill(&v, "team-a"); err != nil || len(v.Devices) > 0 || v.Class != "" {
				t.Errorf("values %+v, error %v", v, err)
			}
		})
	}
}

func TestFillRefuses(t *testing.T) {
	var c Cluster
	if _, err := c.Fill(&Values{}, "team-a"); err == nil || !strings.Contains(err.Error(), "kubectl label node") {
		t.Errorf("error %v", err)
	}
	add(&c, "a", "10/hdd")
	add(&c, "b", "10")
	v := Values{Nodes: []string{"a", "b"}}
	if _, err := c.Fill(&v, "team-a"); err == nil || !strings.Contains(err.Error(), "no class of disks in common") {
		t.Errorf("error %v, values %+v", err, v)
	}
}
