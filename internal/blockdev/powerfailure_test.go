// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"strings"
	"testing"
	"testing/synctest"

	"zfsbench.io/operator/internal/result"
)

// TestCrash stops after every single write of Partition and of Release: Release then makes the disk blank again.
func TestCrash(t *testing.T) {
	for name, owned := range map[string]result.OwnedDevice{"one partition": ownedD0(), "three partitions": ownedInThree()} {
		t.Run(name, func(t *testing.T) {
			for writes := range 4 + 2*len(owned.Partitions) {
				synctest.Test(t, func(t *testing.T) {
					b, disk := freeBench(t)
					b.owned, disk.failAfter = owned, writes
					if _, err := b.guard.Partition(t.Context(), diskD0(), owned, false); err == nil {
						t.Fatalf("no failure after %d writes", writes)
					}
					b.mustRecover(t, disk)
				})
			}
			for writes := range 4 + 2*len(owned.Partitions) {
				synctest.Test(t, func(t *testing.T) {
					b, disk := freeBench(t)
					b.owned = owned
					if _, err := b.guard.Partition(t.Context(), diskD0(), owned, false); err != nil {
						t.Fatal(err)
					}
					disk.put(mebibyte+16384, 1, 2, 3)
					disk.failAfter = len(disk.writes) + writes
					if err := b.guard.Release(t.Context(), owned, testComment); err == nil {
						t.Fatalf("no failure after %d writes", writes)
					}
					b.mustRecover(t, disk)
				})
			}
		})
	}
}

func (b *bench) mustRecover(t *testing.T, disk *memoryDisk) {
	t.Helper()
	disk.failAfter = -1
	if err := b.guard.Release(t.Context(), b.owned, testComment); err != nil {
		t.Errorf("after %q: %v", disk.writes, err)
	}
	if left := disk.content(); len(left) > 0 {
		t.Errorf("after %q: left at %v", disk.writes, left)
	}
}

// TestPowerFailure keeps any selection of the sectors of one unfinished flush: what is on the disk is always blank or provably
// ours, and where anybody may see a partition, its ends are zeros.
func TestPowerFailure(t *testing.T) {
	ours := mustTable(t, gibibyte, 512, ownedD0())
	mbr, header, entries, second := ours.pieces()
	flushes := map[string]struct{ before, during []extent }{
		"write: second table": {during: []extent{second}},
		"write: zeros":        {before: []extent{second}, during: smaller(ours.labels())},
		"write: the rest":     {before: append(ours.labels(), second), during: []extent{header, entries, mbr}},
		"erase: all the rest": {before: []extent{header, second, entries, mbr}, during: []extent{cleared(mbr), cleared(entries), cleared(second)}},
		"erase: header":       {before: []extent{header}, during: []extent{cleared(header)}},
	}
	for name, flush := range flushes {
		t.Run(name, func(t *testing.T) {
			for seed := range uint32(200) {
				disk := newMemoryDisk(Number{}, gibibyte)
				handle := &memoryHandle{memoryDisk: disk, how: exclusiveWrite}
				isWritten := strings.HasPrefix(name, "write")
				if isWritten {
					for _, end := range ours.labels() {
						disk.put(end.offset, 7)
					}
				}
				if err := writeAll(handle, flush.before...); err != nil {
					t.Fatal(err)
				}
				keepSome(t, handle, flush.during, seed)
				have, err := readEnds(handle, gibibyte)
				if err != nil {
					t.Fatal(err)
				}
				got, err := ours.compare(have)
				if err != nil {
					t.Fatalf("seed %d: likeness %d: %v", seed, got, err)
				}
				if isWritten && got != blank && got != begun && len(stale(disk, ours)) > 0 {
					t.Fatalf("seed %d: likeness %d, and partitions begin or end with old data at %v", seed, got, stale(disk, ours))
				}
				if !isWritten && got == begun {
					t.Fatalf("seed %d: what is being erased looks like what is being written", seed)
				}
			}
		})
	}
}

// keepSome writes a selection of sectors that depends on the seed.
func keepSome(t *testing.T, handle *memoryHandle, extents []extent, seed uint32) {
	t.Helper()
	state := seed*2654435761 + 1
	for _, e := range extents {
		for at := int64(0); at < int64(len(e.data)); at += memoryBlock {
			state = state*1664525 + 1013904223
			if state>>31 == 0 {
				continue
			}
			if err := writeAll(handle, extent{offset: e.offset + at, data: e.data[at : at+memoryBlock]}); err != nil {
				t.Fatal(err)
			}
		}
	}
}
