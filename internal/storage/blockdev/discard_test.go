// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/result"
)

// discardBench is a freeBench of which the kernel says how much vdc discards at once.
func discardBench(t *testing.T, most string) (*bench, *memoryDisk) {
	t.Helper()
	b, disk := freeBench(t)
	b.sayDiscards(t, most)
	return b, disk
}

func (b *bench) sayDiscards(t *testing.T, most string) {
	t.Helper()
	b.say(t, "/sys/block/vdc/queue/discard_max_bytes", most)
}

// say makes the kernel say something.
func (b *bench) say(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(b.root, path), []byte(text+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// ownedInTwo is vdc with two partitions that leave most of it alone.
func ownedInTwo() result.OwnedDevice {
	owned := ownedInThree()
	owned.Partitions = owned.Partitions[:2]
	return owned
}

// discards are those among what was done to a disk; elsewhere are the writes that are in none of the partitions.
func discards(disk *memoryDisk, t table) (discarded, elsewhere []string) {
	for _, line := range disk.writes {
		var offset, length int64
		if rest, found := strings.CutPrefix(line, "discard "); found {
			discarded = append(discarded, rest)
			continue
		}
		_, _ = fmt.Sscanf(line, "%d+%d", &offset, &length)
		inside := false
		for _, p := range t.partitions {
			inside = inside || offset >= p.startBytes && offset+length <= p.startBytes+p.sizeBytes
		}
		if !inside {
			elsewhere = append(elsewhere, line)
		}
	}
	return discarded, elsewhere
}

func TestDiscard(t *testing.T) {
	onlyTable := []string{"1073741312+512", "1073724928+16896", "512+512", "1024+16384", "0+512"}
	tests := map[string]struct {
		owned result.OwnedDevice
		want  []string
		// left is what is still on the disk of data that was at 20, 200 and 600 MiB.
		left []int64
	}{
		"one partition": {ownedD0(), []string{"1048576+1071644672"}, nil},
		"three partitions": {ownedInThree(), []string{"1048576+134217728", "135266304+268435456", "403701760+668991488"},
			nil},
		"not the rest": {ownedInTwo(), []string{"1048576+134217728", "135266304+268435456"}, []int64{600}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, disk := discardBench(t, "2147450880")
				b.owned = test.owned
				target := diskD0()
				target.OverwriteUnsigned = true
				for _, mib := range []int64{20, 200, 600} {
					disk.put(mib*mebibyte+512*100, 7)
				}
				got, err := b.guard.Partition(t.Context(), target, test.owned, true)
				if err != nil || !got.Discarded || len(got.Paths) != len(test.owned.Partitions) {
					t.Fatalf("got %+v, error %v", got, err)
				}
				onDisk, err := newTable(&target, test.owned)
				if err != nil {
					t.Fatal(err)
				}
				discarded, elsewhere := discards(disk, onDisk)
				if diff := cmp.Diff(test.want, discarded); diff != "" {
					t.Errorf("discarded (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(onlyTable, elsewhere); diff != "" {
					t.Errorf("written outside of the partitions (-want +got):\n%s", diff)
				}
				last := len(disk.writes) - 4
				if diff := cmp.Diff(onlyTable, append(slices.Clone(disk.writes[:1]), disk.writes[last:]...)); diff != "" {
					t.Errorf("written before and after everything else (-want +got):\n%s", diff)
				}
				var left []int64
				for _, mib := range []int64{20, 200, 600} {
					if disk.content()[mib*mebibyte+512*100] != "" {
						left = append(left, mib)
					}
				}
				if diff := cmp.Diff(test.left, left); diff != "" {
					t.Errorf("left, in MiB (-want +got):\n%s", diff)
				}
				if err := b.guard.Prove(t.Context(), test.owned); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestDiscardNotSupported makes the disk ours all the same.
func TestDiscardNotSupported(t *testing.T) {
	tests := map[string]struct {
		most    string
		discard func(t *testing.T, b *bench) error
		tried   int
	}{
		"an old kernel":      {most: ""},
		"none":               {most: "0"},
		"the kernel says so": {most: "512", discard: func(*testing.T, *bench) error { return syscall.EOPNOTSUPP }},
		"the disk never did it": {most: "512", discard: func(t *testing.T, b *bench) error {
			b.sayDiscards(t, "0")
			return nil
		}, tried: 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, disk := freeBench(t)
				if test.most != "" {
					b.sayDiscards(t, test.most)
				}
				if test.discard != nil {
					disk.discard = func() error { return test.discard(t, b) }
				}
				got, err := b.guard.Partition(t.Context(), diskD0(), ownedD0(), true)
				if err != nil || got.Discarded || len(got.Paths) != 1 {
					t.Errorf("got %+v, error %v", got, err)
				}
				if len(disk.discarded) != test.tried {
					t.Errorf("discarded: %v", disk.discarded)
				}
				if err := b.guard.Prove(t.Context(), ownedD0()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestDiscardNotAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, disk := discardBench(t, "512")
		b.mustPartition(t)
		if len(disk.discarded) > 0 || len(disk.writes) != 7 {
			t.Errorf("writes: %q", disk.writes)
		}
	})
}

// TestDiscardRefuses names the device; only a request that the disk itself refuses, or that takes more than it was told
// to, reaches the disk at all.
func TestDiscardRefuses(t *testing.T) {
	tests := map[string]struct {
		change func(t *testing.T, b *bench, disk *memoryDisk)
		step   Step
		text   string
		tried  int
	}{
		"the disk fails": {
			change: func(_ *testing.T, _ *bench, d *memoryDisk) {
				d.discard = func() error { return syscall.EIO }
			}, step: StepWrite,
			text: "its partitions cannot be discarded: bytes 1048576 to 1072693248: BLKDISCARD /dev/x: input/output error; " +
				"devicePreparation None does without",
		},
		"the kernel cannot be understood": {
			change: func(t *testing.T, b *bench, _ *memoryDisk) {
				b.sayDiscards(t, "much")
			}, step: StepWrite, text: "cannot be discarded: discard_max_bytes",
		},
		"it takes the table": {
			change: func(_ *testing.T, _ *bench, d *memoryDisk) {
				d.discard = func() error { delete(d.blocks, gibibyte-512); return nil }
			},
			step: StepWrite, text: "its partition table did not survive", tried: 1,
		},
		"the table is not ours": {
			change: func(_ *testing.T, _ *bench, d *memoryDisk) {
				d.onSync = func() { d.put(1024, 1) }
			}, step: StepWrite, text: "its partition table was not written",
		},
		"part of the table is missing": {
			change: func(_ *testing.T, _ *bench, d *memoryDisk) {
				d.onSync = func() { delete(d.blocks, 0) }
			}, step: StepWrite, text: "its partition table was not written", tried: 1,
		},
		"open in a process": {
			change: func(t *testing.T, b *bench, _ *memoryDisk) {
				if err := os.Symlink("/dev/vdc", b.path("/proc/30840/fd/7")); err != nil {
					t.Fatal(err)
				}
			},
			step: StepOpen, text: "open in process 30840",
		},
		"in use by the kernel": {change: func(_ *testing.T, _ *bench, d *memoryDisk) {
			d.busy = true
		}, step: StepOpen, text: "in use"},
		"swapped at the last moment": {
			change: func(t *testing.T, b *bench, d *memoryDisk) {
				d.onOpen = func() { b.say(t, "/sys/block/vdc/diskseq", "4") }
			},
			step: StepOpen, text: "another disk has replaced it",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, disk := discardBench(t, "512")
				test.change(t, b, disk)
				_, err := b.guard.Partition(t.Context(), diskD0(), ownedD0(), true)
				wantRefusal(t, err, test.step, test.text)
				wantRefusal(t, err, test.step, "device d0 (/dev/disk/by-id/virtio-zfsbench-d0)")
				if len(disk.discarded) != test.tried {
					t.Errorf("discarded: %v", disk.discarded)
				}
			})
		})
	}
}

// TestDiscardPieces: nothing more is discarded after the context ends, and its cause is told.
func TestDiscardPieces(t *testing.T) {
	const end = 3*gibibyte + 5*mebibyte
	why := errors.New("told to stop")
	all := [][2]int64{{mebibyte, gibibyte}, {gibibyte, 2 * gibibyte}, {2 * gibibyte, 3 * gibibyte}, {3 * gibibyte, end}}
	tests := map[string]struct {
		stopAfter int
		want      [][2]int64
		err       error
	}{
		"all":     {stopAfter: -1, want: all},
		"stopped": {stopAfter: 2, want: all[:2], err: why},
		"before":  {err: why},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			disk := newMemoryDisk(Number{}, 4*gibibyte)
			tried := 0
			disk.discard = func() error {
				if tried++; tried == test.stopAfter {
					cancel(why)
				}
				return nil
			}
			if test.stopAfter == 0 {
				cancel(why)
			}
			err := discardPartition(ctx, &memoryHandle{memoryDisk: disk, how: exclusiveWrite},
				partition{startBytes: mebibyte, sizeBytes: end - mebibyte})
			if !errors.Is(err, test.err) {
				t.Errorf("error %v, want %v", err, test.err)
			}
			if diff := cmp.Diff(test.want, disk.discarded); diff != "" {
				t.Errorf("discarded (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDiscardCrash stops before discarding, in the middle of it, and after it.
func TestDiscardCrash(t *testing.T) {
	for name, owned := range map[string]result.OwnedDevice{"one partition": ownedD0(),
		"three partitions": ownedInThree()} {
		t.Run(name, func(t *testing.T) {
			for writes := 1; writes < 8; writes++ {
				synctest.Test(t, func(t *testing.T) {
					b, disk := discardBench(t, "512")
					b.owned, disk.failAfter = owned, writes
					if _, err := b.guard.Partition(t.Context(), diskD0(), owned, true); err == nil {
						t.Fatalf("no failure after %d writes", writes)
					}
					b.mustRecover(t, disk)
				})
			}
		})
	}
}

// TestDiscardLeavesAnything: a disk that reads differently each time where it was discarded is given back and used
// again all the same.
func TestDiscardLeavesAnything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, disk := discardBench(t, "512")
		disk.garbage = true
		for range 2 {
			if _, err := b.guard.Partition(t.Context(), diskD0(), ownedD0(), true); err != nil {
				t.Fatal(err)
			}
			disk.put(gibibyte/2, 42)
			if err := b.guard.Release(t.Context(), ownedD0(), testComment); err != nil {
				t.Fatal(err)
			}
			if _, err := b.guard.Check(t.Context(), wantD0()); err != nil {
				t.Fatal(err)
			}
		}
	})
}
