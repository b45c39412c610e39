// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
	"zfsbench.io/operator/internal/result"
)

const (
	testComment = "0123456789abcdef0123456789abcdef"
	ourLink     = "/dev/disk/by-partuuid/" + testPartitionGUID
)

func ownedD0() result.OwnedDevice {
	owned := onePartition(testDiskGUID, testPartitionGUID)
	owned.Name, owned.Path, owned.Serial, owned.SizeBytes = "d0", wantD0().Path, wantD0().Serial, gibibyte
	return owned
}

// freeBench is a bench whose vdc is free, with a kernel and a udev that see vdc's partition once they look.
func freeBench(t *testing.T, answers ...hostexectest.Answer) (*bench, *memoryDisk) {
	t.Helper()
	b := newBench(t, free(fixture(t, "node-busy-linux-6.12.107")), answers...)
	disk := b.disks[Number{254, 32}]
	disk.onClose = func() { b.look(t, disk) }
	disk.onReread = disk.onClose
	return b, disk
}

// look is what the kernel and udev do: show the partitions of a whole table, forget them otherwise.
func (b *bench) look(t *testing.T, disk *memoryDisk) {
	t.Helper()
	onDisk := diskD0()
	table, err := newTable(&onDisk, b.owned)
	if err != nil {
		t.Fatal(err)
	}
	_, used := firstNonZero(disk.blocks[0])
	for i, p := range table.partitions {
		if used {
			b.show(t, i+1, p)
		} else {
			b.forget(t, i+1, p)
		}
	}
}

// show makes one of vdc's partitions appear in sysfs and in /dev.
func (b *bench) show(t *testing.T, n int, p partition) {
	t.Helper()
	sys, device, number := fmt.Sprintf("/sys/block/vdc/vdc%d/", n), fmt.Sprintf("/dev/vdc%d", n),
		fmt.Sprintf("254:%d", 32+n)
	files := map[string]string{
		sys + "dev": number, sys + "start": fmt.Sprint(p.startBytes / 512), sys + "size": fmt.Sprint(p.sizeBytes / 512), sys +
			"partition": fmt.Sprint(n), sys + "ro": "0", device: number,
	}
	for name, content := range files {
		err := errors.Join(os.MkdirAll(filepath.Dir(b.path(name)), 0o755), os.WriteFile(b.path(name), []byte(content), 0o644))
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(fmt.Sprintf("../../vdc%d", n), b.path(p.path())); err != nil && !errors.Is(err, os.ErrExist) {
		t.Fatal(err)
	}
}

// forget is the opposite of show.
func (b *bench) forget(t *testing.T, n int, p partition) {
	t.Helper()
	for _, path := range []string{fmt.Sprintf("/sys/block/vdc/vdc%d", n), fmt.Sprintf("/sys/dev/block/254:%d", 32+n),
		fmt.Sprintf("/dev/vdc%d", n), p.path()} {
		if err := os.RemoveAll(b.path(path)); err != nil {
			t.Fatal(err)
		}
	}
}

func (b *bench) path(path string) string { return filepath.Join(b.root, path) }

// mustPartition partitions vdc.
func (b *bench) mustPartition(t *testing.T) {
	t.Helper()
	if _, err := b.guard.Partition(t.Context(), diskD0(), ownedD0(), false); err != nil {
		t.Fatal(err)
	}
}

// wantRefusal checks the step and a part of the message.
func wantRefusal(t *testing.T, err error, step Step, text string) {
	t.Helper()
	var refused *Refusal
	if !errors.As(err, &refused) || refused.Step != step || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, want a refusal by step %s with %q", err, step, text)
	}
}

func TestPartition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, disk := freeBench(t)
		owned := ownedD0()
		owned.DiskGUID = strings.ToUpper(testDiskGUID)
		var order []string
		note := func(what string) {
			order = append(append(order, disk.writes...), what)
			disk.writes = nil
		}
		disk.onSync = func() { note("sync") }
		disk.onClose = func() { note("closed: kernel and udev read the table"); b.look(t, disk) }
		got, err := b.guard.Partition(t.Context(), diskD0(), owned, false)
		if err != nil || !slices.Equal(got.Paths, []string{ourLink}) || got.Discarded {
			t.Fatalf("got %+v, error %v", got, err)
		}
		want := []string{
			// The mark, which proves whose the disk is, and which nobody takes for a table;
			"1073741312+512", "sync",
			// then zeros at both ends of the partition;
			"1048576+8388608", "1064304640+8388608", "sync",
			// then the second table in place of the mark;
			"1073724928+16896", "sync",
			// then the first table, protective MBR last, and only when all is on the medium do others look.
			"512+512", "1024+16384", "0+512", "sync", "closed: kernel and udev read the table",
		}
		if diff := cmp.Diff(want, order); diff != "" {
			t.Errorf("what was done (-want +got):\n%s", diff)
		}
		if err := b.guard.Prove(t.Context(), ownedD0()); err != nil {
			t.Error(err)
		}
		if _, err := b.guard.Check(t.Context(), wantD0()); err == nil {
			t.Error("a partitioned disk is blank")
		}
	})
}

func TestPartitionWithoutUdevTellsTheKernel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, disk := freeBench(t)
		disk.onClose = nil
		b.mustPartition(t)
	})
}

func TestPartitionRefuses(t *testing.T) {
	elsewhere := partition{startBytes: 2 * mebibyte, sizeBytes: partitionBytes(gibibyte)}
	tests := map[string]struct {
		change func(t *testing.T, b *bench, disk *memoryDisk)
		disk   func(*Disk)
		guid   string
		step   Step
		text   string
		writes bool
	}{
		"no GUID": {guid: "x", step: StepOwnership, text: "not a GUID"},
		"not blank": {change: func(_ *testing.T, _ *bench, d *memoryDisk) {
			d.put(7000, 1)
		}, step: StepContent, text: "data at byte 7000"},
		"another disk":   {disk: func(d *Disk) { d.Number.Minor++ }, step: StepPath, text: "a different disk than before"},
		"another serial": {disk: func(d *Disk) { d.Serial = "x" }, step: StepSerial, text: "the policy promises"},
		"exchanged":      {disk: func(d *Disk) { d.Sequence = "1" }, step: StepPath, text: "a different disk than before"},
		"locked by udev": {change: func(_ *testing.T, _ *bench, d *memoryDisk) {
			d.locked = true
		}, step: StepOpen, text: "another tool is at work on it"},
		"never checked": {disk: func(d *Disk) {
			*d = Disk{Want: wantD0(), SectorBytes: 512}
		}, step: StepPath, text: "a different disk than before"},
		"write fails": {change: func(_ *testing.T, _ *bench, d *memoryDisk) {
			d.failAfter = 0
		}, step: StepWrite, text: "cannot be written"},
		"do not appear": {change: func(_ *testing.T, _ *bench, d *memoryDisk) {
			d.onClose, d.onReread = nil, nil
		}, step: StepWrite, text: "do not appear", writes: true},
		"appears elsewhere": {
			change: func(t *testing.T, b *bench, d *memoryDisk) {
				d.onClose = func() { b.show(t, 1, elsewhere) }
				d.onReread = nil
			},
			step: StepWrite, text: "other partitions than the benchmark's: vdc1", writes: true,
		},
		"the link leads elsewhere": {
			change: func(t *testing.T, b *bench, _ *memoryDisk) {
				if err := os.Symlink("../../vdd1", b.path(ourLink)); err != nil {
					t.Fatal(err)
				}
			},
			step: StepWrite, text: "leads to /dev/vdd1, which is not the partition of /dev/vdc", writes: true,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, disk := freeBench(t)
				if test.change != nil {
					test.change(t, b, disk)
				}
				target := diskD0()
				if test.disk != nil {
					test.disk(&target)
				}
				if test.guid == "" {
					test.guid = testPartitionGUID
				}
				owned := ownedD0()
				owned.Partitions[0].GUID = test.guid
				_, err := b.guard.Partition(t.Context(), target, owned, false)
				wantRefusal(t, err, test.step, test.text)
				if wrote := len(disk.writes) > 0; wrote != test.writes {
					t.Errorf("writes: %q", disk.writes)
				}
			})
		})
	}
}

func TestRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, disk := freeBench(t,
			hostexectest.Answer{Match: "local wipefs --no-act --json /dev/vdc1", Stdout: fixture(t, "wipefs-zfs-2.41.5")},
			hostexectest.Answer{Match: "host zdb -l /dev/vdc1", Stdout: "LABEL 0 \n    name: 'p'\n    comment: '" + testComment +
				"'\n"},
		)
		b.mustPartition(t)
		disk.put(mebibyte+16384, 1, 2, 3)
		disk.put(gibibyte-mebibyte-512, 1)
		disk.put(gibibyte/2, 42)
		disk.writes = nil
		for range 2 {
			if err := b.guard.Release(t.Context(), ownedD0(), testComment); err != nil {
				t.Fatal(err)
			}
		}
		want := []string{
			// The labels at both ends of the partition,
			"1048576+8388608", "1064304640+8388608",
			// then the table: protective MBR, entries, second table, and the first header last.
			"0+512", "1024+16384", "1073724928+16896", "512+512",
		}
		if diff := cmp.Diff(want, disk.writes); diff != "" {
			t.Errorf("writes (-want +got):\n%s", diff)
		}
		if left := disk.content(); len(left) != 1 || left[gibibyte/2] == "" {
			t.Errorf("left on the disk, besides the residue in the middle: %v", left)
		}
		if _, err := b.guard.Check(t.Context(), wantD0()); err != nil {
			t.Error(err)
		}
	})
}

// ownedInThree is vdc with three partitions.
func ownedInThree() result.OwnedDevice {
	owned := ownedD0()
	owned.Partitions = []result.OwnedPartition{
		{Name: "slog", GUID: "10000000-0000-4000-8000-000000000000", SizeBytes: 128 * mebibyte},
		{Name: "l2arc", GUID: "20000000-0000-4000-8000-000000000000", SizeBytes: 256 * mebibyte},
		{Name: "special", GUID: "30000000-0000-4000-8000-000000000000"},
	}
	return owned
}

func TestThreePartitions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, disk := freeBench(t)
		b.owned = ownedInThree()
		got, err := b.guard.Partition(t.Context(), diskD0(), b.owned, false)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{ourLink, byPartUUID + b.owned.Partitions[1].GUID, byPartUUID + b.owned.Partitions[2].GUID}
		if diff := cmp.Diff(want, got.Paths); diff != "" {
			t.Errorf("paths (-want +got):\n%s", diff)
		}
		if err := b.guard.Prove(t.Context(), b.owned); err != nil {
			t.Error(err)
		}
		if err := b.guard.Prove(t.Context(), ownedD0()); err == nil {
			t.Error("a table of three partitions is proven to be one of a single partition")
		}
		// Labels at the ends of each partition, and data in the middle of the last.
		for _, mib := range []int64{1, 128, 129, 384, 385, 1022} {
			disk.put(mib*mebibyte, 7)
		}
		// Probes read there and, at 384 MiB, inside the label at the end of the second.
		disk.put(512*mebibyte, 42)
		for range 2 {
			if err := b.guard.Release(t.Context(), b.owned, testComment); err != nil {
				t.Fatal(err)
			}
		}
		if left := disk.content(); len(left) != 1 || left[512*mebibyte] == "" {
			t.Errorf("left on the disk, besides the residue in the middle: %v", left)
		}
		if _, err := b.guard.Check(t.Context(), wantD0()); err != nil {
			t.Error(err)
		}
	})
}

// TestReleaseOfThreePartitionsRefuses: what is not ours in any of them keeps them all.
func TestReleaseOfThreePartitionsRefuses(t *testing.T) {
	tests := map[string]struct {
		answers []hostexectest.Answer
		change  func(t *testing.T, b *bench, third partition)
		step    Step
		text    string
	}{
		"a filesystem": {answers: answer("local wipefs --no-act --json /dev/vdc3", fixture(t, "wipefs-ext4-2.41.5")),
			step: StepOwnership, text: "inside partition 3 of 3: a signature ext4"},
		"a pool of somebody's": {
			answers: answer("host zdb -l /dev/vdc3", "LABEL 0 \n    name: 'tank'\n    comment: 'mine'\n"), step: StepOwnership,
			text: `inside partition 3 of 3: labels of pool "tank"`,
		},
		"open in a process": {
			change: func(t *testing.T, b *bench, _ partition) {
				if err := os.Symlink("/dev/vdc3", b.path("/proc/30840/fd/7")); err != nil {
					t.Fatal(err)
				}
			},
			step: StepOpen, text: "open in process 30840",
		},
		"one moved": {
			change: func(t *testing.T, b *bench, third partition) {
				third.startBytes += mebibyte
				third.sizeBytes -= mebibyte
				b.show(t, 3, third)
			},
			step: StepOwnership, text: "other partitions than the benchmark's",
		},
		"something where an unseen one would be": {
			answers: answer(fmt.Sprintf("local blkid -p -o export -O %d -S %d", 385*mebibyte, 638*mebibyte),
				fixture(t, "blkid-zfs-2.41.5")),
			change: func(t *testing.T, b *bench, third partition) { b.forget(t, 3, third) },
			step:   StepOwnership, text: "inside partition 3 of 3: the kernel does not show it, but there is",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, disk := freeBench(t, test.answers...)
				b.owned = ownedInThree()
				if _, err := b.guard.Partition(t.Context(), diskD0(), b.owned, false); err != nil {
					t.Fatal(err)
				}
				if test.change != nil {
					onDisk := diskD0()
					table, err := newTable(&onDisk, b.owned)
					if err != nil {
						t.Fatal(err)
					}
					test.change(t, b, table.partitions[2])
				}
				disk.writes = nil
				wantRefusal(t, b.guard.Release(t.Context(), b.owned, testComment), test.step, test.text)
				if len(disk.writes) > 0 {
					t.Errorf("a refused disk was written to: %q", disk.writes)
				}
			})
		})
	}
}

func TestReleaseRefuses(t *testing.T) {
	other := hostexectest.Answer{Match: "host zdb -l /dev/vdc1",
		Stdout: "LABEL 0 \n    name: 'tank'\n    comment: 'mine'\n"}
	uncommented := hostexectest.Answer{Match: "host zdb -l /dev/vdc1",
		Stdout: "LABEL 0 \n    name: 'tank'\n    state: 0\n"}
	tests := map[string]struct {
		answers []hostexectest.Answer
		change  func(t *testing.T, b *bench, disk *memoryDisk)
		owned   func(*result.OwnedDevice)
		step    Step
		text    string
	}{
		"another partition GUID": {owned: func(o *result.OwnedDevice) {
			o.Partitions[0].GUID = testDiskGUID[:35] + "1"
		}, step: StepOwnership, text: "is not the benchmark's"},
		"another disk GUID": {owned: func(o *result.OwnedDevice) {
			o.DiskGUID = testDiskGUID[:35] + "1"
		}, step: StepOwnership, text: "is not the benchmark's"},
		"no GUIDs recorded": {owned: func(o *result.OwnedDevice) { o.DiskGUID = "" }, step: StepOwnership,
			text: "not a GUID"},
		"a file": {owned: func(o *result.OwnedDevice) {
			*o = result.OwnedDevice{Name: "f0", File: "/scratch/f0"}
		}, step: StepPath, text: "not below /dev"},
		"another serial": {owned: func(o *result.OwnedDevice) { o.Serial = "x" }, step: StepSerial, text: "promises"},
		"another size":   {owned: func(o *result.OwnedDevice) { o.SizeBytes++ }, step: StepSize, text: "promises"},
		"another partition": {
			change: func(t *testing.T, b *bench, _ *memoryDisk) {
				b.show(t, 1, partition{startBytes: mebibyte, sizeBytes: 1000 * 512})
			}, step: StepOwnership, text: "other partitions than the benchmark's",
		},
		"data in the first MiB": {change: func(_ *testing.T, _ *bench, d *memoryDisk) {
			d.put(100000, 1)
		}, step: StepOwnership, text: "sector 195 of its first MiB"},
		"a pool of somebody's": {answers: []hostexectest.Answer{other}, step: StepOwnership,
			text: `labels of pool "tank" with the comment "mine"`},
		"a pool without comment": {answers: []hostexectest.Answer{uncommented}, step: StepOwnership,
			text: `labels of pool "tank" with the comment ""`},
		"labels that cannot be read": {
			answers: []hostexectest.Answer{{Match: "host zdb -l /dev/vdc1", Code: 1}}, step: StepOwnership,
			text: "cannot be read",
		},
		"a filesystem in the partition": {
			answers: answer("local wipefs --no-act --json /dev/vdc1", fixture(t, "wipefs-ext4-2.41.5")), step: StepOwnership,
			text: "signature ext4 at 0x438",
		},
		"in use by the kernel": {change: func(_ *testing.T, _ *bench, d *memoryDisk) {
			d.busy = true
		}, step: StepOpen, text: "in use"},
		"open in a process": {
			change: func(t *testing.T, b *bench, _ *memoryDisk) {
				if err := os.Symlink("/dev/vdc1", b.path("/proc/30840/fd/7")); err != nil {
					t.Fatal(err)
				}
			},
			step: StepOpen, text: "open in process 30840",
		},
		"something where an unseen partition would be": {
			answers: []hostexectest.Answer{
				{Match: "local blkid -p -o export -O", Code: 2, Once: true},
				{Match: "local blkid -p -o export -O", Stdout: fixture(t, "blkid-zfs-2.41.5")},
			},
			change: func(t *testing.T, b *bench, d *memoryDisk) {
				kept := d.blocks[0]
				d.blocks[0] = nil
				b.look(t, d)
				d.blocks[0] = kept
			},
			step: StepOwnership, text: "inside partition 1 of 1: the kernel does not show it, but there is: signature " +
				"zfs_member",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, disk := freeBench(t, test.answers...)
				b.mustPartition(t)
				if test.change != nil {
					test.change(t, b, disk)
				}
				owned := ownedD0()
				if test.owned != nil {
					test.owned(&owned)
				}
				disk.writes = nil
				wantRefusal(t, b.guard.Release(t.Context(), owned, testComment), test.step, test.text)
				if len(disk.writes) > 0 {
					t.Errorf("a refused disk was written to: %q", disk.writes)
				}
			})
		})
	}
}

// TestReleaseOfAStrangersDisk has nothing of ours on the disk at all.
func TestReleaseOfAStrangersDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, disk := freeBench(t)
		disk.put(1080, 0x53, 0xef)
		err := b.guard.Release(t.Context(), ownedD0(), testComment)
		wantRefusal(t, err, StepOwnership, "nothing on it is the benchmark's: sector 2 of its first MiB")
		if !errors.Is(err, ErrNotOurs) {
			t.Errorf("error %v, want ErrNotOurs", err)
		}
		if len(disk.writes) > 0 {
			t.Errorf("a stranger's disk was written to: %q", disk.writes)
		}
	})
}

// TestReleaseOfABlankDisk: nothing was ever written, whatever is in the middle of the disk.
func TestReleaseOfABlankDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, disk := freeBench(t)
		disk.put(mebibyte+1080, 0x53, 0xef)
		if err := b.guard.Release(t.Context(), ownedD0(), testComment); err != nil {
			t.Error(err)
		}
		if len(disk.writes) > 0 {
			t.Errorf("a blank disk was written to: %q", disk.writes)
		}
	})
}

// TestReleaseWaitsForEverybody: the disk is erased, but the kernel, or udev, keeps its old view.
func TestReleaseWaitsForEverybody(t *testing.T) {
	tests := map[string]struct {
		answers []hostexectest.Answer
		forget  bool
		step    Step
	}{
		"the kernel shows the partition": {step: StepPartitions},
		"udev knows the table": {answers: answer("local lsblk --json", fixture(t, "lsblk-partition-2.41.5")),
			forget: true, step: StepSignatures},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, disk := freeBench(t)
				b.mustPartition(t)
				b.rec.Prepend(test.answers...)
				if !test.forget {
					disk.onClose, disk.onReread = nil, nil
				}
				wantRefusal(t, b.guard.Release(t.Context(), ownedD0(), testComment), test.step, "")
				disk.onReread = func() { b.look(t, disk) }
				if err := b.guard.Release(t.Context(), ownedD0(), testComment); err != nil {
					t.Errorf("the second time: %v", err)
				}
			})
		})
	}
}

func TestProveRefuses(t *testing.T) {
	tests := map[string]struct {
		change func(*memoryDisk)
		step   Step
	}{
		"blank":   {change: func(d *memoryDisk) { clear(d.blocks) }, step: StepOwnership},
		"partial": {change: func(d *memoryDisk) { delete(d.blocks, 0) }, step: StepOwnership},
		"foreign": {change: func(d *memoryDisk) { d.put(100, 1) }, step: StepOwnership},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, disk := freeBench(t)
				b.mustPartition(t)
				test.change(disk)
				wantRefusal(t, b.guard.Prove(t.Context(), ownedD0()), test.step, "")
			})
		})
	}
}
