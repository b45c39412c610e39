// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"zfsbench.io/operator/internal/hostexec/hostexectest"
	"zfsbench.io/operator/internal/result"
)

// TestLocate looks for a disk that a benchmark had when its runner died.
func TestLocate(t *testing.T) {
	other := answer("local lsblk -dno SERIAL /dev/vdc", "another\n")
	tests := map[string]struct {
		answers []hostexectest.Answer
		owned   func(*result.OwnedDevice)
		change  func(t *testing.T, b *bench, disk *memoryDisk)
		want    Whereabouts
		text    string
	}{
		"it is there":            {want: Present},
		"blank":                  {change: func(t *testing.T, b *bench, d *memoryDisk) { clear(d.blocks); b.look(t, d) }, want: Present},
		"half of it is there":    {change: func(_ *testing.T, _ *bench, d *memoryDisk) { d.blocks[0] = nil }, want: Present, text: "/dev/vdc"},
		"something beside it":    {change: func(_ *testing.T, _ *bench, d *memoryDisk) { d.put(100000, 1) }, want: Present, text: "vdc"},
		"another table":          {change: repurpose, want: Repurposed, text: "holds something else now, and nothing of the benchmark"},
		"a partition is visible": {change: func(t *testing.T, b *bench, d *memoryDisk) { repurpose(t, b, d); b.showOurs(t) }, want: Present, text: ourLink},
		"a copy is on another disk": {
			change: func(t *testing.T, b *bench, d *memoryDisk) {
				for offset, block := range d.blocks {
					b.disks[Number{254, 48}].blocks[offset] = block
				}
				repurpose(t, b, d)
			}, want: Present, text: "/dev/vdd",
		},
		"another disk": {
			answers: other, change: repurpose, want: Repurposed, text: "the serial number another now, the recorded one has zfsbench-d0",
		},
		"another disk, and it is elsewhere": {
			answers: append(other, answer("local lsblk -dno SERIAL /dev/vdd", "zfsbench-d0\n")...), change: repurpose, want: Present, text: "/dev/vdd",
		},
		"no disk": {
			answers: other, change: repurpose, owned: func(o *result.OwnedDevice) { o.Path += "-gone" }, want: Missing, text: "no disk of the node has its serial number",
		},
		"at another path": {owned: func(o *result.OwnedDevice) { o.Path += "-gone" }, want: Present, text: "/dev/vdc"},
		"a serial number that cannot be read": {
			answers: []hostexectest.Answer{{Match: "local lsblk -dno SERIAL /dev/vde", Code: 1}}, change: repurpose, want: Present, text: "cannot be read",
		},
		"no serial number": {answers: answer("local lsblk -dno SERIAL /dev/vdc", "\n"), change: repurpose, want: Present, text: ""},
		"a disk that cannot be read": {
			change: func(t *testing.T, b *bench, d *memoryDisk) {
				repurpose(t, b, d)
				b.disks[Number{254, 48}].unreadable = 0
			}, want: Present, text: "/dev/vdd",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, disk := freeBench(t)
				b.mustPartition(t)
				if test.change != nil {
					test.change(t, b, disk)
				}
				b.rec.Prepend(test.answers...)
				if len(test.answers) > 0 && test.answers[0].Match == "local lsblk -dno SERIAL /dev/vdc" {
					if err := os.RemoveAll(b.path("/sys/block/vdc/serial")); err != nil {
						t.Fatal(err)
					}
				}
				owned := ownedD0()
				if test.owned != nil {
					test.owned(&owned)
				}
				disk.writes = nil
				got, why := b.guard.Locate(t.Context(), owned)
				if got != test.want || !strings.Contains(why, test.text) {
					t.Errorf("got %d, %q; want %d, %q", got, why, test.want, test.text)
				}
				if len(disk.writes) > 0 {
					t.Errorf("written: %q", disk.writes)
				}
			})
		})
	}
}

// repurpose gives the disk to somebody else.
func repurpose(t *testing.T, b *bench, disk *memoryDisk) {
	t.Helper()
	clear(disk.blocks)
	b.look(t, disk)
	disk.put(1080, 0x53, 0xef)
}

// showOurs lets the kernel and udev go on showing our partition.
func (b *bench) showOurs(t *testing.T) {
	t.Helper()
	onDisk := diskD0()
	ours, err := newTable(&onDisk, b.owned)
	if err != nil {
		t.Fatal(err)
	}
	b.show(t, 1, ours.partitions[0])
}
