// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

const (
	statFile = "/sys/block/vdc/stat"
	bootFile = "/proc/sys/kernel/random/boot_id"
	// unseenAt is in the middle of the disk, in a place that no probe reads.
	unseenAt = 300*mebibyte + 700000
)

// scanBench is a freeBench of which the kernel counts what is written to vdc.
func scanBench(t *testing.T) (*bench, *memoryDisk, Disk) {
	t.Helper()
	b, disk := freeBench(t)
	for path, text := range map[string]string{bootFile: "boot-1", "/sys/block/vdc/queue/iostats": "1"} {
		if err := os.MkdirAll(filepath.Dir(b.path(path)), 0o755); err != nil {
			t.Fatal(err)
		}
		b.say(t, path, text)
	}
	b.sayWritten(t, 0)
	disk.onSync = func() { b.sayWritten(t, len(disk.writes)) }
	full := diskD0()
	full.FullScan = true
	return b, disk, full
}

func (b *bench) sayWritten(t *testing.T, sectors int) {
	t.Helper()
	b.say(t, statFile, fmt.Sprintf("  7 0 8 0 9 0 %d 0 0 0 0 0 0 0 0 0 0", sectors))
}

// scan reads the disk, and returns how many bytes were read.
func (b *bench) scan(t *testing.T, disk Disk) (int64, error) {
	t.Helper()
	var read atomic.Int64
	err := b.guard.Scan(t.Context(), disk, func(bytes int64) { read.Add(bytes) })
	return read.Load(), err
}

// mustScan wants as many bytes to be read.
func (b *bench) mustScan(t *testing.T, disk Disk, want int64) {
	t.Helper()
	if got, err := b.scan(t, disk); err != nil || got != want {
		t.Fatalf("read %d bytes, want %d, error %v", got, want, err)
	}
}

// run lets a benchmark use the disk and leave data in the middle.
func (b *bench) run(t *testing.T, disk *memoryDisk, full Disk) {
	t.Helper()
	if _, err := b.guard.Partition(t.Context(), full, ownedD0(), false); err != nil {
		t.Fatal(err)
	}
	disk.put(unseenAt, 5)
	disk.put(gibibyte/2, 6)
	if err := b.guard.Release(t.Context(), ownedD0(), testComment); err != nil {
		t.Fatal(err)
	}
}

// TestScanCountsUntilSomebodyWrites: a disk is read as a whole once, and what benchmarks leave on it later needs no
// other scan.
func TestScanCountsUntilSomebodyWrites(t *testing.T) {
	tests := map[string]func(t *testing.T, b *bench, disk *memoryDisk, full *Disk){
		"written to": func(t *testing.T, b *bench, disk *memoryDisk, _ *Disk) { b.sayWritten(t, len(disk.writes)+1) },
		"restarted":  func(t *testing.T, b *bench, _ *memoryDisk, _ *Disk) { b.say(t, bootFile, "boot-2") },
		"plugged in again": func(t *testing.T, b *bench, _ *memoryDisk, full *Disk) {
			b.say(t, "/sys/block/vdc/diskseq", "9")
			full.Sequence = "9"
		},
		"record lost": func(t *testing.T, b *bench, _ *memoryDisk, _ *Disk) { b.eachResidue(t, os.Remove) },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, disk, full := scanBench(t)
				b.mustScan(t, full, gibibyte)
				b.mustScan(t, full, 0)
				b.run(t, disk, full)
				b.mustScan(t, full, 0)
				b.run(t, disk, full)
				change(t, b, disk, &full)
				_, err := b.scan(t, full)
				wantRefusal(t, err, StepContent,
					fmt.Sprintf("data at byte %d; content: Full wants every byte to be zero", unseenAt))
				clear(disk.blocks)
				b.mustScan(t, full, gibibyte)
			})
		})
	}
}

// TestScanFindsWhatProbesMiss, and where it begins.
func TestScanFindsWhatProbesMiss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, disk, full := scanBench(t)
		disk.put(unseenAt+9*mebibyte, 1)
		disk.put(unseenAt, 1)
		if _, err := b.guard.Check(t.Context(), wantD0()); err != nil {
			t.Fatalf("a sample finds it: %v", err)
		}
		_, err := b.scan(t, full)
		wantRefusal(t, err, StepContent, fmt.Sprintf("data at byte %d;", unseenAt))
		_, err = b.guard.Partition(t.Context(), full, ownedD0(), false)
		wantRefusal(t, err, StepContent, "since the full scan")
		if len(disk.writes) > 0 {
			t.Errorf("written: %q", disk.writes)
		}
	})
}

func TestScanRefuses(t *testing.T) {
	why := errors.New("told to stop")
	tests := map[string]struct {
		change func(t *testing.T, b *bench, disk *memoryDisk)
		read   func(t *testing.T, b *bench, stop context.CancelCauseFunc)
		text   string
	}{
		"not counted": {
			change: func(t *testing.T, b *bench, _ *memoryDisk) { b.say(t, "/sys/block/vdc/queue/iostats", "0") },
			text:   "nobody can say until when a full scan of it counts",
		},
		"counted in another way": {change: func(t *testing.T, b *bench, _ *memoryDisk) {
			b.say(t, statFile, "1 2 3")
		}, text: "its stat has 3 fields"},
		"in use": {change: func(_ *testing.T, _ *bench, disk *memoryDisk) { disk.busy = true }, text: "it is in use"},
		"unreadable": {
			change: func(_ *testing.T, _ *bench, disk *memoryDisk) {
				disk.unreadable = gibibyte / 2
			}, text: "cannot be read at byte 536870912",
		},
		"written to meanwhile": {
			read: func(t *testing.T, b *bench, _ context.CancelCauseFunc) {
				b.sayWritten(t, 1)
			}, text: "something wrote to it while it was read",
		},
		"stopped": {read: func(_ *testing.T, _ *bench, stop context.CancelCauseFunc) { stop(why) }, text: "told to stop"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, disk, full := scanBench(t)
				if test.change != nil {
					test.change(t, b, disk)
				}
				ctx, stop := context.WithCancelCause(t.Context())
				defer stop(nil)
				err := b.guard.Scan(ctx, full, func(int64) {
					if test.read != nil {
						test.read(t, b, stop)
					}
				})
				wantRefusal(t, err, StepContent, test.text)
				_, err = b.guard.Partition(t.Context(), full, ownedD0(), false)
				if err == nil || len(disk.writes) > 0 {
					t.Errorf("the disk is used all the same: error %v, writes %q", err, disk.writes)
				}
			})
		})
	}
}

// TestScanAfterCrash: a benchmark that fails after any write gives back a disk of which the scan counts, unless the
// node was restarted in between.
func TestScanAfterCrash(t *testing.T) {
	tests := map[string]struct {
		writes    int
		restarted bool
	}{
		"before the first write": {}, "after some": {writes: 3}, "and a restart": {writes: 3, restarted: true},
	}
	for name, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			b, disk, full := scanBench(t)
			b.mustScan(t, full, gibibyte)
			disk.failAfter = test.writes
			if _, err := b.guard.Partition(t.Context(), full, ownedD0(), false); err == nil {
				t.Fatal("no failure")
			}
			disk.failAfter = -1
			disk.put(unseenAt, 5)
			if test.restarted {
				b.say(t, bootFile, "boot-2")
			}
			if err := b.guard.Release(t.Context(), ownedD0(), testComment); err != nil {
				t.Fatal(err)
			}
			if _, err := b.scan(t, full); (err != nil) != test.restarted {
				t.Errorf("%s: error %v", name, err)
			}
		})
	}
}
