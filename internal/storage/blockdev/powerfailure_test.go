// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"slices"
	"testing"
	"testing/synctest"

	"zfsbench.io/operator/internal/result"
)

// TestCrash stops after every single write of Partition and of Release: Release then makes the disk blank again.
func TestCrash(t *testing.T) {
	for name, owned := range map[string]result.OwnedDevice{"one partition": ownedD0(),
		"three partitions": ownedInThree()} {
		t.Run(name, func(t *testing.T) {
			for writes := range 5 + 2*len(owned.Partitions) {
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

// flush is one unfinished flush: what was on the medium before, and what is being written.
type flush struct {
	before, during []extent
	// want is what the disk may be afterwards. staleEnds says that the ends of the partitions may hold old data.
	want      []likeness
	staleEnds bool
}

// TestPowerFailure keeps any selection of the sectors of one unfinished flush: what is on the disk is always blank or
// provably ours, and it has the mark, or its partitions' ends are zeros.
func TestPowerFailure(t *testing.T) {
	ours := mustTable(t, gibibyte, 512, ownedD0())
	mbr, header, entries, second := ours.pieces()
	mark := ours.markExtent()
	zeroed := func(more ...extent) []extent { return append(smaller(ours.zeroedEnds()), more...) }
	flushes := map[string]flush{
		"write: mark": {during: []extent{mark}, want: []likeness{blank, begun}, staleEnds: true},
		"write: zeros": {before: []extent{mark}, during: smaller(ours.zeroedEnds()), want: []likeness{begun},
			staleEnds: true},
		"write: second table": {before: zeroed(mark), during: []extent{second}, want: []likeness{begun, partial}},
		"write: first table": {before: zeroed(second), during: []extent{header, entries, mbr},
			want: []likeness{partial, complete}},
		"erase: all the rest": {before: zeroed(header, second, entries, mbr),
			during: []extent{cleared(mbr), cleared(entries), cleared(second)}, want: []likeness{partial, complete}},
		"erase: header": {before: zeroed(header), during: []extent{cleared(header)},
			want: []likeness{blank, partial}},
		"erase: what was begun": {before: zeroed(second, mark), during: []extent{cleared(second)},
			want: []likeness{blank, begun, partial}},
		"erase: the second alone": {before: zeroed(second), during: []extent{cleared(second)},
			want: []likeness{blank, partial}},
	}
	for name, flush := range flushes {
		t.Run(name, func(t *testing.T) {
			for seed := range uint32(200) {
				disk := newMemoryDisk(Number{}, gibibyte)
				handle := &memoryHandle{memoryDisk: disk, how: exclusiveWrite}
				for _, end := range ours.zeroedEnds() {
					disk.put(end.offset, 7)
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
				if err != nil || !slices.Contains(flush.want, got) {
					t.Fatalf("seed %d: likeness %d, error %v; want one of %v", seed, got, err, flush.want)
				}
				if !flush.staleEnds && len(stale(disk, ours)) > 0 {
					t.Fatalf("seed %d: likeness %d, and partitions begin or end with old data at %v", seed, got, stale(disk, ours))
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
