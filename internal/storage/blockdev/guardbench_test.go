// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/testfiles"
)

// noLabels is what zdb prints for a device without labels.
const noLabels = "failed to unpack label 0\nfailed to unpack label 1\nfailed to unpack label 2\nfailed to unpack " +
	"label 3\n"

func fixture(t *testing.T, name string) string {
	t.Helper()
	return testfiles.Read(t, "testdata", name+".txt")
}

// bench is a guard on a captured node. On that node vdc (d0) is blank but open in a process; vdd (d1) has a mounted and
// a swapped-to partition; vde (d2) is part of a mapping; vdf (d3) backs a loop device; vda is the root disk; vdb is
// read-only and mounted.
type bench struct {
	guard *Guard
	rec   *hostexectest.Recorder
	root  string
	disks map[Number]*memoryDisk
	// asked counts how often it was asked about the files of processes.
	asked int
	// owned says which partitions the kernel and udev show of vdc once its table is there.
	owned result.OwnedDevice
}

// free is the captured node after nobody has vdc open any more.
func free(lines string) string { return without(lines, "/proc/30840/fd/7\t") }

// without leaves out the lines that contain a text.
func without(lines string, text string) string {
	var kept strings.Builder
	for line := range strings.Lines(lines) {
		if !strings.Contains(line, text) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// benchSerials are the serial numbers of the captured node's disks.
func benchSerials() map[string]string {
	return map[string]string{
		"vda": "zfsbench-root", "vdb": "zfsbench-config", "vdc": "zfsbench-d0", "vdd": "zfsbench-d1", "vde": "zfsbench-d2",
		"vdf": "zfsbench-d3",
	}
}

// listing is lsblk's list of them, after one has changed.
func listing(name, serial string) hostexectest.Answer {
	all := benchSerials()
	if name != "" {
		all[name] = serial
	}
	devices := []string{`{"kname":"loop0","serial":null}`, `{"kname":"loop1","serial":null}`,
		`{"kname":"dm-0","serial":null}`}
	for name, serial := range all {
		devices = append(devices, fmt.Sprintf(`{"kname":%q,"serial":%q}`, name, serial))
	}
	return hostexectest.Answer{Match: "local lsblk --json --all", Stdout: `{"blockdevices":[` +
		strings.Join(devices, ",") + "]}"}
}

// newBench answers every tool as for blank disks; the given answers come first.
func newBench(t *testing.T, lines string, answers ...hostexectest.Answer) *bench {
	t.Helper()
	for name, serial := range benchSerials() {
		answers = append(answers, hostexectest.Answer{Match: "local lsblk -dno SERIAL /dev/" + name, Stdout: serial + "\n"})
	}
	answers = append(answers,
		hostexectest.Answer{Match: "local lsblk -dno SERIAL", Stdout: "\n"},
		listing("", ""),
		hostexectest.Answer{Match: "local blkid -p", Code: 2},
		hostexectest.Answer{Match: "local wipefs --no-act --json", Stdout: fixture(t, "wipefs-blank-2.41.5")},
		hostexectest.Answer{Match: "local lsblk --json", Stdout: fixture(t, "lsblk-blank-2.41.5")},
		hostexectest.Answer{Match: "host zdb -l", Stdout: noLabels, Code: 2},
		hostexectest.Answer{Match: "host zpool status", Stderr: "no pools available\n"},
		hostexectest.Answer{Match: "host zpool import", Stderr: "no pools available to import\n"},
		hostexectest.Answer{Match: "host udevadm settle"},
	)
	b := &bench{rec: hostexectest.New(t, answers...), root: plant(t, lines), disks: map[Number]*memoryDisk{},
		owned: ownedD0()}
	for _, minor := range []uint32{0, 16, 32, 48, 64, 80} {
		number := Number{254, minor}
		b.disks[number] = newMemoryDisk(number, gibibyte)
	}
	residues := NewResidues(filepath.Join(t.TempDir(), "residues"))
	b.guard = newGuard(machine{root: b.root, devices: captured{root: b.root, disks: b.disks, asked: &b.asked}},
		b.rec.Runner("local"), b.rec.Runner("host"), residues)
	return b
}

func wantD0() Want {
	return Want{Name: "d0", Path: "/dev/disk/by-id/virtio-zfsbench-d0", Serial: "zfsbench-d0", SizeBytes: gibibyte}
}

func diskD0() Disk {
	return Disk{Want: wantD0(), Device: "/dev/vdc", Number: Number{254, 32}, SectorBytes: 512, Sequence: "3"}
}

func TestCheckAcceptsABlankDisk(t *testing.T) {
	b := newBench(t, free(fixture(t, "node-busy-linux-6.12.107")))
	got, err := b.guard.Check(t.Context(), wantD0())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(diskD0(), got); diff != "" {
		t.Errorf("disk (-want +got):\n%s", diff)
	}
	want := []string{
		"local lsblk -dno SERIAL /dev/vdc",
		"host zpool status -P -L",
		"host zpool import",
		"host zpool import -D",
		"local blkid -p -o export /dev/vdc",
		"local blkid -p -o export -O 1048576 -S 1071644672 /dev/vdc",
		"local wipefs --no-act --json /dev/vdc",
		"local lsblk --json --bytes --output NAME,MAJ:MIN,TYPE,FSTYPE,PTTYPE,MOUNTPOINTS,RO,SIZE /dev/vdc",
		"host zdb -l /dev/vdc",
	}
	if diff := cmp.Diff(want, b.rec.Transcript()); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	if len(b.disks[Number{254, 32}].writes) != 0 {
		t.Errorf("the guard wrote: %q", b.disks[Number{254, 32}].writes)
	}
}

// refusal is one way to refuse a disk.
type refusal struct {
	// lines changes the captured node, want changes what the policy promises, disk changes the disk itself. answers come
	// before the answers for a blank disk.
	lines   func(string) string
	want    func(*Want)
	answers []hostexectest.Answer
	disk    func(*memoryDisk)
	step    Step
	text    string
}

func add(extra string) func(string) string {
	return func(lines string) string { return free(lines) + extra }
}

func replace(from, to string) func(string) string {
	return func(lines string) string { return strings.ReplaceAll(free(lines), from, to) }
}

func answer(match, stdout string) []hostexectest.Answer {
	return []hostexectest.Answer{{Match: match, Stdout: stdout}}
}

func fails(match string, code int) []hostexectest.Answer {
	return []hostexectest.Answer{{Match: match, Code: code, Stderr: "broken"}}
}

func path(path, serial string) func(*Want) {
	return func(w *Want) { w.Path, w.Serial = path, serial }
}

func refuseAll(t *testing.T, tests map[string]refusal) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { refuseOne(t, test) })
		})
	}
}

func refuseOne(t *testing.T, test refusal) {
	t.Helper()
	lines := fixture(t, "node-busy-linux-6.12.107")
	if test.lines == nil {
		test.lines = free
	}
	b := newBench(t, test.lines(lines), test.answers...)
	want := wantD0()
	if test.want != nil {
		test.want(&want)
	}
	if test.disk != nil {
		test.disk(b.disks[Number{254, 32}])
	}
	_, err := b.guard.Check(t.Context(), want)
	var refused *Refusal
	if !errors.As(err, &refused) {
		t.Fatalf("error %v, want a refusal", err)
	}
	if refused.Step != test.step || !strings.Contains(err.Error(), test.text) {
		t.Errorf("step %s, error %v\nwant step %s, text %s", refused.Step, err, test.step, test.text)
	}
	if prefix := "device " + want.Name + " (" + want.Path + ") is refused: "; !strings.HasPrefix(err.Error(), prefix) {
		t.Errorf("error %v does not name the device", err)
	}
	for _, disk := range b.disks {
		if len(disk.writes) != 0 {
			t.Errorf("disk %s was written to: %q", disk.number, disk.writes)
		}
	}
}
