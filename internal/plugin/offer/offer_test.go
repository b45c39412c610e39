// SPDX-License-Identifier: Apache-2.0

package offer

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/validate"
	"zfsbench.io/operator/internal/testfiles"
)

const (
	nodeUID = "0f3c7a52-6c1e-4b6b-9a53-2d7f6b8f1c11"
	teamUID = "9d3a4c10-2f6e-4a52-8c11-5b0e7f1d2a33"
	diskA   = "/dev/disk/by-id/wwn-0x5000c500a0000001"
	diskB   = "/dev/disk/by-id/wwn-0x5000c500a0000002"
	used    = "/dev/disk/by-id/wwn-0x5000c500a0000003"
	alias   = "/dev/disk/by-id/ata-ST4000_S1"
)

// input is a node with two blank disks, one that is used, and one that no policy can name.
func input() Input {
	s := v1alpha1.NodeStorage{ObjectMeta: metav1.ObjectMeta{Name: "storage-0"}}
	s.Status.NodeUID = nodeUID
	s.Status.ObservedAt = &metav1.Time{Time: time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)}
	s.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionCurrent, Status: metav1.ConditionTrue,
		Reason: v1alpha1.ReasonDiscovered}}
	disk := func(path, device, serial string) v1alpha1.NodeDisk {
		return v1alpha1.NodeDisk{Path: path, Device: device, Serial: serial, SizeBytes: 4_000_787_030_016,
			Model: "ST4000NM0035", Verdict: v1alpha1.DiskBlank}
	}
	s.Status.Disks = []v1alpha1.NodeDisk{disk(diskA, "/dev/sda", "S1"), disk(diskB, "/dev/sdb", "S2"),
		disk(used, "/dev/sdc", "S3"), disk("", "/dev/sdd", "")}
	s.Status.Disks[0].Aliases = []string{alias}
	s.Status.Disks[1].OfferedBy = []string{"team-b"}
	s.Status.Disks[2].Verdict, s.Status.Disks[2].Reason = v1alpha1.DiskInUse, "It is mounted at /srv."
	return Input{Storage: s, Namespace: "team-a", NamespaceUID: teamUID}
}

// policyFor is a policy that offers disk A to a namespace.
func policyFor(namespace string, change func(*v1alpha1.PolicyDevice)) v1alpha1.BenchmarkDevicePolicy {
	p := v1alpha1.BenchmarkDevicePolicy{ObjectMeta: metav1.ObjectMeta{Name: "other"}}
	p.Spec.Node = v1alpha1.PolicyNode{Name: "storage-0", UID: nodeUID}
	p.Spec.Namespaces = []string{"default", namespace}
	p.Spec.Devices = []v1alpha1.PolicyDevice{{Path: diskA, Serial: "S1",
		Size: *resource.NewQuantity(4_000_787_030_016, resource.DecimalSI), UnsignedData: v1alpha1.UnsignedDataRefuse}}
	if change != nil {
		change(&p.Spec.Devices[0])
	}
	return p
}

func TestOf(t *testing.T) {
	tests := map[string]struct {
		change func(*Input)
		want   []string
	}{
		"every blank disk":    {func(*Input) {}, []string{diskA, diskB}},
		"a disk":              {func(in *Input) { in.Devices = []string{diskB} }, []string{diskB}},
		"a disk by its alias": {func(in *Input) { in.Devices = []string{alias, diskA} }, []string{diskA}},
		"in the order given":  {func(in *Input) { in.Devices = []string{diskB, diskA} }, []string{diskB, diskA}},
		"another namespace": {func(in *Input) {
			in.Policies = []v1alpha1.BenchmarkDevicePolicy{policyFor("team-b", func(d *v1alpha1.PolicyDevice) {
				d.UnsignedData = v1alpha1.UnsignedDataOverwrite
			})}
		}, []string{diskA, diskB}},
		"offered already": {func(in *Input) {
			in.Policies = []v1alpha1.BenchmarkDevicePolicy{policyFor("team-a", nil)}
		}, []string{diskB}},
		"offered under other terms": {func(in *Input) {
			in.Policies = []v1alpha1.BenchmarkDevicePolicy{policyFor("team-a", func(d *v1alpha1.PolicyDevice) {
				d.Content = v1alpha1.ContentFull
			})}
		}, []string{diskB}},
		"offered of a replaced node": {func(in *Input) {
			p := policyFor("team-a", nil)
			p.Spec.Node.UID = teamUID
			in.Policies = []v1alpha1.BenchmarkDevicePolicy{p}
		}, []string{diskA, diskB}},
		"a benchmark runs": {func(in *Input) {
			in.Storage.Status.Conditions[0].Status = metav1.ConditionFalse
			in.Storage.Status.Conditions[0].Reason = v1alpha1.ReasonBenchmarkRuns
		}, []string{diskA, diskB}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			in := input()
			test.change(&in)
			o, err := Of(in)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, d := range o.Policy.Spec.Devices {
				got = append(got, d.Path)
				if o.Disks[i].Path != d.Path || o.Disks[i].Serial != d.Serial {
					t.Errorf("device %d is %s, its disk %s", i, d.Path, o.Disks[i].Path)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("devices (-want +got):\n%s", diff)
			}
			if _, err := o.YAML(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	ask := func(paths ...string) func(*Input) { return func(in *Input) { in.Devices = paths } }
	with := func(change func(*v1alpha1.PolicyDevice)) func(*Input) {
		return func(in *Input) {
			in.Devices, in.Policies = []string{diskA}, []v1alpha1.BenchmarkDevicePolicy{policyFor("team-a", change)}
		}
	}
	tests := map[string]struct {
		change func(*Input)
		want   string
	}{
		"a used disk":   {ask(diskA, used), used + " is not blank (InUse): It is mounted at /srv."},
		"unknown path":  {ask("/dev/disk/by-id/x"), "/dev/disk/by-id/x: node storage-0 had no such disk"},
		"a kernel name": {ask("/dev/sda"), "/dev/sda is a name that another disk may have after a reboot: use " + diskA},
		"unsigned data": {func(in *Input) {
			in.Devices, in.Storage.Status.Disks[2].UnsignedData = []string{used}, true
		}, "zero the disk, or write a policy with unsignedData: Overwrite by hand"},
		"no serial number": {func(in *Input) {
			in.Devices, in.Storage.Status.Disks[0].Serial = []string{diskA}, ""
		}, diskA + " has no serial number"},
		"a path of two disks": {func(in *Input) {
			in.Devices, in.Storage.Status.Disks[1].Aliases = []string{diskA}, []string{diskA}
		}, diskA + " is the path of more than one disk"},
		"another serial number": {with(func(d *v1alpha1.PolicyDevice) { d.Serial = "S9" }),
			`BenchmarkDevicePolicy other offers it to namespace team-a already, but with the serial number "S9"`},
		"another size": {with(func(d *v1alpha1.PolicyDevice) { d.Size.Set(1) }), "but with the size 1, and"},
		"another path": {with(func(d *v1alpha1.PolicyDevice) { d.Path = alias }), "but under the path " + alias},
		"overwrite": {with(func(d *v1alpha1.PolicyDevice) { d.UnsignedData = v1alpha1.UnsignedDataOverwrite }),
			"but with unsignedData: Overwrite"},
		"a full scan": {with(func(d *v1alpha1.PolicyDevice) { d.Content = v1alpha1.ContentFull }), "but with content: Full"},
		"no list":     {func(in *Input) { in.Storage.Status.ObservedAt = nil }, "storage-0 has not been looked at yet"},
		"an old list": {func(in *Input) {
			in.Storage.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionCurrent, Status: metav1.ConditionFalse,
				Reason: v1alpha1.ReasonDiscoveryFailed, Message: "The discovery failed."}}
		}, "may no longer be true: The discovery failed. Ask for a new discovery"},
		"no blank disk": {func(in *Input) { in.Storage.Status.Disks = in.Storage.Status.Disks[2:] },
			"node storage-0 has no blank disk that can be offered. /dev/sdd has no stable path"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			in := input()
			test.change(&in)
			o, err := Of(in)
			if err == nil || !strings.Contains(err.Error(), test.want) || len(o.Policy.Spec.Devices) > 0 {
				t.Errorf("error %v, want %q; policy %+v", err, test.want, o.Policy)
			}
		})
	}
}

// TestNothingLeft: to allow the same disks again is no mistake, and scripts can tell.
func TestNothingLeft(t *testing.T) {
	in := input()
	in.Devices, in.Policies = []string{alias}, []v1alpha1.BenchmarkDevicePolicy{policyFor("team-a", nil)}
	_, err := Of(in)
	if !errors.Is(err, ErrOffered) || !strings.Contains(err.Error(), "namespace team-a by BenchmarkDevicePolicy other") {
		t.Errorf("error %v", err)
	}
}

// TestClass: a class can be added to a disk that has consent, and what the name may be is up to the API.
func TestClass(t *testing.T) {
	in := input()
	in.Devices, in.Class = []string{diskA}, "hdd"
	in.Policies = []v1alpha1.BenchmarkDevicePolicy{policyFor("team-a", nil)}
	o, err := Of(in)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := o.YAML(); err != nil || !strings.Contains(string(text), `class: "hdd"`) {
		t.Errorf("error %v:\n%s", err, text)
	}
	in.Policies[0].Spec.Devices[0].Class = "hdd"
	if _, err := Of(in); !errors.Is(err, ErrOffered) {
		t.Errorf("error %v", err)
	}
	in.Policies, in.Class = nil, "HDD 1"
	if o, err = Of(in); err != nil {
		t.Fatal(err)
	}
	if _, err := o.YAML(); err == nil || !strings.Contains(err.Error(), "class must be lower-case letters") {
		t.Errorf("error %v", err)
	}
}

func TestYAML(t *testing.T) {
	o, err := Of(input())
	if err != nil {
		t.Fatal(err)
	}
	text, err := o.YAML()
	if err != nil {
		t.Fatal(err)
	}
	testfiles.Compare(t, "policy.yaml", string(text))
	if want := []string{"/dev/sdd has no stable path, so no policy can name it."}; !slices.Equal(o.Skipped, want) {
		t.Errorf("skipped %q", o.Skipped)
	}
	if table := o.Table(); len(table.Rows) != 2 || table.Rows[1].Cells[5] != "team-b" {
		t.Errorf("table %+v", table)
	}
}

// TestForgedNodeStorage: no text of a NodeStorage adds a device to the policy, or a namespace.
func TestForgedNodeStorage(t *testing.T) {
	devices := "\n    - {path: /dev/disk/by-id/y, serial: s, size: \"1\"}"
	hidden := []string{devices, "\r" + devices[1:], "\u0085" + devices[1:], "\u2028" + devices[1:],
		`"` + devices, "{{.}}", "# "}
	for _, text := range hidden {
		changes := map[string]func(*v1alpha1.NodeStorage){
			"model":   func(s *v1alpha1.NodeStorage) { s.Status.Disks[0].Model = text },
			"device":  func(s *v1alpha1.NodeStorage) { s.Status.Disks[0].Device = text },
			"serial":  func(s *v1alpha1.NodeStorage) { s.Status.Disks[0].Serial = "s" + text },
			"path":    func(s *v1alpha1.NodeStorage) { s.Status.Disks[0].Path += text },
			"offered": func(s *v1alpha1.NodeStorage) { s.Status.Disks[0].OfferedBy = []string{text} },
			"uid":     func(s *v1alpha1.NodeStorage) { s.Status.NodeUID += text },
		}
		for field, change := range changes {
			in := input()
			change(&in.Storage)
			o, err := Of(in)
			if err != nil {
				t.Fatalf("%s %q: %v", field, text, err)
			}
			document, err := o.YAML()
			if err != nil {
				continue // The API would not accept it.
			}
			p, err := validate.ReadPolicy(document)
			if err != nil || len(p.Spec.Devices) != 2 || p.Spec.Devices[1].Path != diskB || len(p.Spec.Namespaces) != 1 {
				t.Errorf("%s %q: error %v, policy %+v", field, text, err, p.Spec)
			}
		}
	}
}
