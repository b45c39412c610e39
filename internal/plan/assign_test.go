// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

// onDisksOfClass is a benchmark on a mirror of two disks of a class.
const onDisksOfClass = `
nodes: {names: [storage-0]}
devices:
- {name: d, class: nvme, count: 2}
pool: {layout: Mirror, devices: [d0, d1]}
workloads:
- {name: seq-write, fio: {rw: write, bs: 1m, size: 1Gi}}
`

// offering is a policy that offers disks of 8 GiB, each given as NAME or NAME:SERIAL or NAME:SERIAL:more fields.
func offering(t *testing.T, name, class string, disks ...string) v1alpha1.BenchmarkDevicePolicy {
	t.Helper()
	text := forTeamA + "devices:\n"
	for _, disk := range disks {
		parts := append(strings.SplitN(disk, ":", 3), "", "")
		if parts[1] == "" {
			parts[1] = "S" + parts[0]
		}
		text += fmt.Sprintf("- {path: /dev/disk/by-id/%s, serial: %s, size: 8Gi%s", parts[0], parts[1], parts[2])
		if class != "" {
			text += ", class: " + class
		}
		text += "}\n"
	}
	return policy(t, name, text)
}

// seen is a NodeStorage of the test's node with blank disks of 8 GiB.
func seen(names ...string) *v1alpha1.NodeStorage {
	s := &v1alpha1.NodeStorage{ObjectMeta: metav1.ObjectMeta{Name: "storage-0"}}
	s.Status.NodeUID = testNodeUID
	s.Status.ObservedAt = &metav1.Time{Time: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	for _, name := range names {
		s.Status.Disks = append(s.Status.Disks, v1alpha1.NodeDisk{Path: "/dev/disk/by-id/" + name, Serial: "S" + name,
			Device: "/dev/sd" + name, SizeBytes: 8 << 30, Verdict: v1alpha1.DiskBlank})
	}
	return s
}

// without changes the disk at an index.
func without(s *v1alpha1.NodeStorage, i int, change func(*v1alpha1.NodeDisk)) *v1alpha1.NodeStorage {
	change(&s.Status.Disks[i])
	return s
}

func verdict(v v1alpha1.DiskVerdict) func(*v1alpha1.NodeDisk) {
	return func(d *v1alpha1.NodeDisk) { d.Verdict = v }
}

// chosen are the names of the ends of the paths that Assign chose, in the order of the devices.
func chosen(devices []v1alpha1.Device) string {
	var words []string
	for _, d := range devices {
		words = append(words, d.Name+"="+strings.TrimPrefix(d.Path, "/dev/disk/by-id/"))
	}
	return strings.Join(words, " ")
}

func TestAssign(t *testing.T) {
	three := func(t *testing.T) []v1alpha1.BenchmarkDevicePolicy {
		return []v1alpha1.BenchmarkDevicePolicy{offering(t, "p", "nvme", "c", "a", "b")}
	}
	tests := map[string]struct {
		spec     string // onDisksOfClass by default
		policies func(*testing.T) []v1alpha1.BenchmarkDevicePolicy
		storage  *v1alpha1.NodeStorage
		chosen   map[string]string
		want     string
		// message is a part of the error's; want is then empty.
		message string
		reason  string
	}{
		"the first by path": {policies: three, want: "d0=a d1=b"},
		"of several policies": {policies: func(t *testing.T) []v1alpha1.BenchmarkDevicePolicy {
			return []v1alpha1.BenchmarkDevicePolicy{offering(t, "p", "nvme", "c"), offering(t, "q", "nvme", "b", "a")}
		}, want: "d0=a d1=b"},
		"not of another class, node or namespace, and not without a class": {
			policies: func(t *testing.T) []v1alpha1.BenchmarkDevicePolicy {
				node, namespace := offering(t, "node", "nvme", "a1"), offering(t, "namespace", "nvme", "a2")
				node.Spec.Node.UID, namespace.Spec.Namespaces = uidOfOld, []string{"team-b"}
				return append(three(t), node, namespace, offering(t, "class", "hdd", "a3"), offering(t, "none", "", "a4"))
			}, want: "d0=a d1=b"},
		"two devices of a class": {spec: strings.Replace(onDisksOfClass, "{name: d, class: nvme, count: 2}",
			"{name: x, class: nvme}\n- {name: z, class: nvme, count: 2}", 1), policies: three, want: "x0=a z0=b z1=c"},
		"beside a disk that is named by path": {
			spec:     strings.Replace(onDisksOfClass, "devices:\n", "devices:\n- {name: log, path: /dev/disk/by-id/a}\n", 1),
			policies: three, want: "log=a d0=b d1=c"},
		"beside another path of the disk": {
			spec: strings.Replace(onDisksOfClass, "devices:\n", "devices:\n- {name: log, path: /dev/disk/by-id/z}\n", 1),
			policies: func(t *testing.T) []v1alpha1.BenchmarkDevicePolicy {
				return append(three(t), offering(t, "q", "", "z:Sa"))
			}, want: "log=z d0=b d1=c"},
		"not two paths to one disk": {policies: func(t *testing.T) []v1alpha1.BenchmarkDevicePolicy {
			return []v1alpha1.BenchmarkDevicePolicy{offering(t, "p", "nvme", "a:S1", "b:S1", "c:S2")}
		}, want: "d0=a d1=c"},
		"not one that policies list differently": {policies: func(t *testing.T) []v1alpha1.BenchmarkDevicePolicy {
			return append(three(t), offering(t, "q", "nvme", "a:S9"))
		}, want: "d0=b d1=c"},
		"one disk in two classes": {
			spec: strings.Replace(onDisksOfClass, "{name: d, class: nvme, count: 2}",
				"{name: d, class: nvme, count: 2}\n- {name: f, class: fast}", 1),
			policies: func(t *testing.T) []v1alpha1.BenchmarkDevicePolicy {
				return append(three(t), offering(t, "q", "fast", "a", "b", "c"))
			}, want: "d0=a d1=b f0=c"},

		"all blank": {policies: three, storage: seen("a", "b", "c"), want: "d0=a d1=b"},
		"one in use": {policies: three, storage: without(seen("a", "b", "c"), 0, verdict(v1alpha1.DiskInUse)),
			want: "d0=b d1=c"},
		"one refused": {policies: three, storage: without(seen("a", "b", "c"), 1, verdict(v1alpha1.DiskRefused)),
			want: "d0=a d1=c"},
		"one missing": {policies: three, storage: seen("b", "c"), want: "d0=b d1=c"},
		"one with another serial number": {policies: three, want: "d0=b d1=c",
			storage: without(seen("a", "b", "c"), 0, func(d *v1alpha1.NodeDisk) { d.Serial = "S0" })},
		"found by another path": {policies: three, want: "d0=a d1=b", storage: without(seen("a", "b", "c"), 0,
			func(d *v1alpha1.NodeDisk) { d.Path, d.Aliases = "/dev/disk/by-id/0", []string{d.Path} })},
		"unsigned data, without consent": {policies: three, want: "d0=b d1=c", storage: without(seen("a", "b", "c"), 0,
			func(d *v1alpha1.NodeDisk) { d.Verdict, d.UnsignedData = v1alpha1.DiskInUse, true })},
		"unsigned data, with consent": {policies: func(t *testing.T) []v1alpha1.BenchmarkDevicePolicy {
			return []v1alpha1.BenchmarkDevicePolicy{offering(t, "p", "nvme", "a::, unsignedData: Overwrite", "b", "c")}
		}, want: "d0=a d1=b", storage: without(seen("a", "b", "c"), 0,
			func(d *v1alpha1.NodeDisk) { d.Verdict, d.UnsignedData = v1alpha1.DiskInUse, true })},
		"more disks than a NodeStorage lists": {policies: three, want: "d0=a d1=b", storage: func() *v1alpha1.NodeStorage {
			s := seen("b", "c")
			s.Status.OmittedDisks = 1
			return s
		}()},
		"of a node before this one": {policies: three, want: "d0=a d1=b", storage: func() *v1alpha1.NodeStorage {
			s := seen()
			s.Status.NodeUID = uidOfOld
			return s
		}()},
		"not looked at yet": {policies: three, storage: &v1alpha1.NodeStorage{
			ObjectMeta: metav1.ObjectMeta{Name: "storage-0"}}, want: "d0=a d1=b"},

		"forged: a blank disk that nobody offers": {
			policies: func(t *testing.T) []v1alpha1.BenchmarkDevicePolicy {
				return []v1alpha1.BenchmarkDevicePolicy{offering(t, "p", "nvme", "b")}
			},
			storage: without(seen("a", "b"), 0, func(d *v1alpha1.NodeDisk) { d.OfferedBy = []string{"p"} }),
			message: "class nvme: 2 disks are needed, 1 free: 1 offered to namespace team-a.",
			reason:  v1alpha1.ReasonTooFewDisks},
		"forged: an alias of a disk that is offered": {
			policies: three, want: "d0=a d1=b", storage: without(seen("a", "b", "c"), 0, func(d *v1alpha1.NodeDisk) {
				d.Aliases = []string{"/dev/disk/by-id/system"}
			})},
		"forged: the serial number of an offered disk": {policies: three, want: "d0=b d1=c",
			storage: without(seen("a", "b", "c"), 0, func(d *v1alpha1.NodeDisk) { d.Path = "/dev/disk/by-id/system" })},

		"too few": {policies: three, storage: func() *v1alpha1.NodeStorage {
			return without(without(seen("a", "b"), 0, verdict(v1alpha1.DiskInUse)), 1, verdict(v1alpha1.DiskRefused))
		}(), reason: v1alpha1.ReasonTooFewDisks, message: "Node storage-0: class nvme: 2 disks are needed, 0 free: " +
			"3 offered to namespace team-a, 1 in use or not blank, 1 missing, 1 refused. NodeStorage storage-0 says why, as " +
			"of 2026-03-01T12:00:00Z. To look again: `kubectl annotate --overwrite nodestorage storage-0 " +
			"zfsbench.io/discover=$(date +%s)`."},
		"too few beside a disk that is named by path": {
			spec: strings.Replace(onDisksOfClass, "devices:\n", "devices:\n- {name: log, path: /dev/disk/by-id/a}\n", 1),
			policies: func(t *testing.T) []v1alpha1.BenchmarkDevicePolicy {
				return []v1alpha1.BenchmarkDevicePolicy{offering(t, "p", "nvme", "a", "b")}
			}, storage: seen("a", "b"), reason: v1alpha1.ReasonTooFewDisks,
			message: "2 disks are needed, 1 free: 2 offered to namespace team-a, 1 named by path in the benchmark.|"},
		"none offered": {policies: func(*testing.T) []v1alpha1.BenchmarkDevicePolicy { return nil },
			reason: v1alpha1.ReasonTooFewDisks, message: "Node storage-0: class nvme: 2 disks are needed, 0 free: 0 offered " +
				"to namespace team-a. The storage administrator could list more disks with `class: nvme` in a " +
				"BenchmarkDevicePolicy for the node."},

		"chosen before": {policies: three, storage: without(seen("a", "b", "c"), 2, verdict(v1alpha1.DiskInUse)),
			chosen: map[string]string{"d0": "/dev/disk/by-id/c", "d1": "/dev/disk/by-id/a"}, want: "d0=c d1=a"},
		"chosen before, and the record is lost": {policies: three, chosen: map[string]string{"d0": "/dev/disk/by-id/c"},
			message: "and its status no longer says so", reason: v1alpha1.ReasonPolicyMismatch},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			spec := tt.spec
			if spec == "" {
				spec = onDisksOfClass
			}
			in := Input{Benchmark: benchmark(t, spec), Node: testNode(), Policies: tt.policies(t), Storage: tt.storage,
				Chosen: tt.chosen, Defaults: testDefaults()}
			devices, err := Assign(in)
			var missing *ConsentError
			if errors.As(err, &missing) != (tt.message != "") || missing != nil &&
				(!strings.Contains(missing.Message+"|", tt.message) || missing.Reason != tt.reason) {
				t.Fatalf("error %v, want %s", err, tt.message)
			}
			if got := chosen(devices); got != tt.want {
				t.Errorf("chosen: %s, want %s", got, tt.want)
			}
			slices.Reverse(in.Policies)
			for _, p := range in.Policies {
				slices.Reverse(p.Spec.Devices)
			}
			if again, _ := Assign(in); chosen(again) != tt.want {
				t.Errorf("in another order of the policies: %s", chosen(again))
			}
		})
	}
}

// TestBuildOnAClass: from the choice on, a disk of a class is like any other, and its consent is checked like any
// other's.
func TestBuildOnAClass(t *testing.T) {
	in := Input{Benchmark: benchmark(t, onDisksOfClass), Node: testNode(), Defaults: testDefaults(),
		Policies: []v1alpha1.BenchmarkDevicePolicy{offering(t, "p", "nvme", "a", "b", "c")}}
	p, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	want := []Device{{Name: "d0", Class: "nvme", Path: "/dev/disk/by-id/a", Serial: "Sa", SizeBytes: 8 << 30},
		{Name: "d1", Class: "nvme", Path: "/dev/disk/by-id/b", Serial: "Sb", SizeBytes: 8 << 30}}
	if diff := cmp.Diff(want, p.Devices); diff != "" {
		t.Errorf("devices (-want +got):\n%s", diff)
	}
	if again, err := Decode(bytes.NewReader(Encode(p))); err != nil || !cmp.Equal(p, again) {
		t.Errorf("read back: %v\n%s", err, cmp.Diff(p, again))
	}

	in.Chosen = map[string]string{"d0": "/dev/disk/by-id/a", "d1": "/dev/disk/by-id/system"}
	var missing *ConsentError
	if _, err := Build(in); !errors.As(err, &missing) || missing.Reason != v1alpha1.ReasonNoPolicy ||
		!strings.Contains(missing.Message, "overwrite d1 (/dev/disk/by-id/system)") {
		t.Errorf("a recorded disk that no policy offers: %v", err)
	}
	in.Chosen = maps.Clone(in.Chosen)
	in.Chosen["d1"] = in.Chosen["d0"]
	if _, err := Build(in); err == nil || !strings.Contains(err.Error(), "used more than once") {
		t.Errorf("one disk recorded twice: %v", err)
	}
}
