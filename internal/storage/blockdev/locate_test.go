// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
	"zfsbench.io/operator/internal/result"
)

// TestLocate looks for a disk that a benchmark had when its runner died.
func TestLocate(t *testing.T) {
	other := append(answer("local lsblk -dno SERIAL /dev/vdc", "another\n"), listing("vdc", "another"))
	elsewhere := append(answer("local lsblk -dno SERIAL /dev/vdc", "another\n"), hostexectest.Answer{
		Match:  "local lsblk --json --all",
		Stdout: strings.Replace(listing("vdc", "another").Stdout, "zfsbench-d1", "zfsbench-d0", 1),
	})
	tests := map[string]struct {
		answers []hostexectest.Answer
		owned   func(*result.OwnedDevice)
		change  func(t *testing.T, b *bench, disk *memoryDisk)
		want    DiskState
		text    string
	}{
		"it is there": {want: Present},
		"blank": {change: func(t *testing.T, b *bench, d *memoryDisk) {
			clear(d.blocks)
			b.look(t, d)
		}, want: Present},
		"half of it is there": {change: func(_ *testing.T, _ *bench, d *memoryDisk) {
			d.blocks[0] = nil
		}, want: Present, text: "is at /dev/disk/by-id"},
		"something beside it": {change: func(_ *testing.T, _ *bench, d *memoryDisk) {
			d.put(100000, 1)
		}, want: Present, text: "is at /dev/disk/by-id"},
		"another table": {change: repurpose, want: Repurposed,
			text: "holds something else now, and nothing of the benchmark"},
		"a partition is visible": {change: func(t *testing.T, b *bench, d *memoryDisk) {
			repurpose(t, b, d)
			b.showOurs(t)
		}, want: Present, text: ourLink},
		"a copy is on another disk": {
			change: func(t *testing.T, b *bench, d *memoryDisk) {
				for offset, block := range d.blocks {
					b.disks[Number{254, 48}].blocks[offset] = block
				}
				repurpose(t, b, d)
			}, want: Present, text: "/dev/vdd",
		},
		"another disk": {
			answers: other, change: repurpose, want: Repurposed,
			text: "the serial number another now; the recorded disk has zfsbench-d0",
		},
		"another disk, and it is elsewhere": {
			answers: elsewhere, change: repurpose, want: Present, text: "/dev/vdd",
		},
		"no disk": {
			answers: other, change: repurpose, owned: func(o *result.OwnedDevice) {
				o.Path += "-gone"
			}, want: Missing, text: "no disk of the node has its serial number",
		},
		"at another path": {owned: func(o *result.OwnedDevice) { o.Path += "-gone" }, want: Present, text: "/dev/vdc"},
		"a serial number that cannot be read": {
			answers: fails("local lsblk --json --all", 1), change: repurpose, want: Present, text: "cannot be read",
		},
		"a disk that lsblk does not list": {
			answers: answer("local lsblk --json --all", `{"blockdevices":[{"kname":"vdc","serial":"zfsbench-d0"}]}`),
			change:  repurpose,
			want:    Present, text: "lsblk does not list it",
		},
		"no serial number": {
			answers: append(answer("local lsblk -dno SERIAL /dev/vdc", "\n"), listing("vdc", "")), change: repurpose,
			want: Present,
		},
		"a disk that does not answer": {
			change: func(t *testing.T, b *bench, d *memoryDisk) {
				repurpose(t, b, d)
				b.disks[Number{254, 48}].hangs = time.Hour
			}, want: Present, text: "/dev/vdd: /dev/vdd does not answer",
		},
		"an lsblk that does not answer": {
			answers: []hostexectest.Answer{{Match: "local lsblk --json --all",
				Do: func(context.Context, hostexec.Cmd) (hostexec.Result, error) {
					<-time.After(time.Hour)
					return hostexec.Result{}, nil
				}}}, change: repurpose, want: Present, text: "lsblk does not answer",
		},
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
				<-time.After(2 * time.Hour) // for what does not answer
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

// TestLocateLooksAtTheRecordedDiskFirst: others are only looked at if it is not where it was, and then with one lsblk
// for all.
func TestLocateLooksAtTheRecordedDiskFirst(t *testing.T) {
	for name, want := range map[string]struct {
		change func(*testing.T, *bench, *memoryDisk)
		lsblk  int
		others int
	}{
		"it is there": {change: func(*testing.T, *bench, *memoryDisk) {}, lsblk: 1},
		"it is not":   {change: repurpose, lsblk: 2, others: 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, disk := freeBench(t)
				b.mustPartition(t)
				want.change(t, b, disk)
				before, opened := len(b.rec.Transcript()), map[Number]int{}
				for number, d := range b.disks {
					opened[number] = d.opens
				}
				b.guard.Locate(t.Context(), ownedD0())
				others := 0
				for number, d := range b.disks {
					if number != disk.number && d.opens > opened[number] {
						others++
					}
				}
				if got := b.rec.Transcript()[before:]; len(got) != want.lsblk || others != want.others {
					t.Errorf("commands %q, other disks opened %d; want %d and %d", got, others, want.lsblk, want.others)
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
