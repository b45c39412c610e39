// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
	"zfsbench.io/operator/internal/result"
)

// stale is where the ends of a table's partitions hold anything but zeros.
func stale(disk *memoryDisk, ours table) []int64 {
	var found []int64
	for _, end := range ours.zeroedEnds() {
		for offset := range disk.content() {
			if offset >= end.offset && offset < end.offset+int64(len(end.data)) {
				found = append(found, offset)
			}
		}
	}
	return found
}

// smaller leaves the first sectors of each extent.
func smaller(all []extent) []extent {
	for i := range all {
		all[i].data = all[i].data[:16*memoryBlock]
	}
	return all
}

// staleBench is a bench whose vdc one benchmark has used as a whole, and left data where partitions of the next one
// begin and end. blkid and wipefs find a signature wherever there is anything in the first sector of a partition.
func staleBench(t *testing.T, next result.OwnedDevice) (*bench, *memoryDisk, table) {
	t.Helper()
	b, disk := freeBench(t)
	onDisk := diskD0()
	ours, err := newTable(&onDisk, next)
	if err != nil {
		t.Fatal(err)
	}
	b.mustPartition(t)
	for _, end := range ours.zeroedEnds() {
		disk.put(end.offset, 7)
		disk.put(end.offset+int64(len(end.data))-memoryBlock, 7)
	}
	if err := b.guard.Release(t.Context(), ownedD0(), testComment); err != nil {
		t.Fatal(err)
	}
	found := func(offset int64) bool { _, some := firstNonZero(disk.blocks[offset]); return some }
	b.rec.Prepend(
		hostexectest.Answer{Match: "local blkid -p -o export -O",
			Do: func(_ context.Context, cmd hostexec.Cmd) (hostexec.Result, error) {
				var offset int64
				if _, err := fmt.Sscan(cmd.Args[5], &offset); err != nil {
					return hostexec.Result{}, err
				}
				if found(offset) {
					return hostexec.Result{Stdout: []byte("TYPE=LVM2_member\n")}, nil
				}
				return hostexec.Result{}, &hostexec.ExitError{Code: blkidNothing}
			}},
		hostexectest.Answer{Match: "local wipefs --no-act --json /dev/vdc",
			Do: func(_ context.Context, cmd hostexec.Cmd) (hostexec.Result, error) {
				n := 0
				_, _ = fmt.Sscanf(strings.TrimPrefix(cmd.Args[3], "/dev/vdc"), "%d", &n)
				if n > 0 && found(ours.partitions[n-1].startBytes) {
					return hostexec.Result{Stdout: []byte(`{"signatures":[{"offset":"0x218","type":"LVM2_member"}]}`)}, nil
				}
				return hostexec.Result{Stdout: []byte(`{"signatures":[]}`)}, nil
			}},
	)
	b.owned = next
	disk.writes = nil
	return b, disk, ours
}

// TestNothingOldBeginsAPartition: when the kernel and udev look, both ends of every partition are zeros, whether or not
// the disk discards.
func TestNothingOldBeginsAPartition(t *testing.T) {
	for _, discard := range []bool{false, true} {
		t.Run(fmt.Sprintf("discard %t", discard), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, disk, ours := staleBench(t, ownedInThree())
				b.sayDiscards(t, "512")
				disk.garbage = true
				look := disk.onClose
				disk.onClose = func() {
					if left := stale(disk, ours); len(left) > 0 {
						t.Errorf("old data at %v", left)
					}
					look()
				}
				disk.onReread = disk.onClose
				if _, err := b.guard.Partition(t.Context(), diskD0(), b.owned, discard); err != nil {
					t.Fatal(err)
				}
				if err := b.guard.Release(t.Context(), b.owned, testComment); err != nil {
					t.Error(err)
				}
				if _, err := b.guard.Check(t.Context(), wantD0()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestNothingOldHoldsADisk fails after every single write: nobody sees a partition that begins with old data, and the
// disk can be given back and used again.
func TestNothingOldHoldsADisk(t *testing.T) {
	for _, discard := range []bool{false, true} {
		t.Run(fmt.Sprintf("discard %t", discard), func(t *testing.T) {
			for writes, whole := 0, false; !whole; writes++ {
				synctest.Test(t, func(t *testing.T) {
					b, disk, ours := staleBench(t, ownedInThree())
					b.sayDiscards(t, "512")
					disk.failAfter, disk.garbage = writes, true
					_, err := b.guard.Partition(t.Context(), diskD0(), b.owned, discard)
					whole = err == nil
					if _, visible := firstNonZero(disk.blocks[0]); visible && len(stale(disk, ours)) > 0 {
						t.Errorf("after %q: old data at %v", disk.writes, stale(disk, ours))
					}
					disk.failAfter = -1
					if err := b.guard.Release(t.Context(), b.owned, testComment); err != nil {
						t.Errorf("after %q: %v", disk.writes, err)
					}
					if _, err := b.guard.Check(t.Context(), wantD0()); err != nil {
						t.Errorf("after %q: %v", disk.writes, err)
					}
				})
				if discard && writes > 4 && !whole {
					writes += 61 // the places that probes read are written one by one
				}
			}
		})
	}
}
