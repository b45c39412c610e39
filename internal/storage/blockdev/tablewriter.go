// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"errors"
	"fmt"
)

// labelBytes at each end of a partition are zeroed before anybody sees it, and again before it is given back. That
// covers every signature that blkid, udev and the kernel look for. The ones that reach furthest in are OpenZFS's labels
// with its boot area (4 MiB at the beginning, 512 KiB at the end) and the copies of a LUKS2 header (up to 4 MiB); md,
// LVM, DDF and others stay within the first and the last MiB.
const labelBytes = 8 * mebibyte

// extent is a range of bytes to write.
type extent struct {
	offset int64
	data   []byte
}

// writeAll writes extents and waits until they are on the medium.
func writeAll(disk device, extents ...extent) error {
	for _, e := range extents {
		if _, err := disk.WriteAt(e.data, e.offset); err != nil {
			return fmt.Errorf("write at byte %d: %w", e.offset, err)
		}
	}
	return disk.Sync()
}

// pieces cuts the table out of its image: the protective MBR, the first header, the first entries, and the second table
// at the end of the disk.
func (t table) pieces() (mbr, header, entries, second extent) {
	image := t.image()
	at := func(from, to int64) extent {
		return extent{offset: from * t.sectorBytes, data: image.head[from*t.sectorBytes : to*t.sectorBytes]}
	}
	tail := (1 + t.entrySectors()) * t.sectorBytes
	return at(0, 1), at(1, 2), at(2, 2+t.entrySectors()),
		extent{offset: t.sizeBytes - tail, data: image.tail[mebibyte-tail:]}
}

// writeMark writes the mark, one sector, which proves whose the disk is.
func (t table) writeMark(disk device) error { return writeAll(disk, t.markExtent()) }

// markExtent is the mark in its place.
func (t table) markExtent() extent {
	return extent{offset: t.sizeBytes - t.sectorBytes, data: t.mark()}
}

// writeTable writes the table: whoever reads it from now on sees partitions. The second table, which takes the place of
// the mark, is on the medium before the first one begins: no disk with a mark has ever shown a partition. Without the
// first MiB nobody takes the second for a table: the kernel, udev and blkid want the protective MBR.
func (t table) writeTable(disk device) error {
	mbr, header, entries, second := t.pieces()
	if err := writeAll(disk, second); err != nil {
		return err
	}
	return writeAll(disk, header, entries, mbr)
}

// zeroedBeforeUse is what may be left of before in partitions that nobody has seen: their ends, and the places that
// probes read, whose content has to be defined after a discard.
func (t table) zeroedBeforeUse() []extent { return append(t.probed(), t.zeroedEnds()...) }

// zeroedEnds are the ends of the partitions, as zeros.
func (t table) zeroedEnds() []extent {
	var all []extent
	for _, p := range t.partitions {
		zeros := make([]byte, min(labelBytes, p.sizeBytes/2))
		all = append(all, extent{offset: p.startBytes, data: zeros},
			extent{offset: p.startBytes + p.sizeBytes - int64(len(zeros)), data: zeros})
	}
	return all
}

// erase makes the ends of the disk blank again, the first header last, so that whatever remains after a crash is
// provably ours. The labels in the partitions go before.
func (t table) erase(disk device) error {
	mbr, header, entries, second := t.pieces()
	if err := writeAll(disk, cleared(mbr), cleared(entries), cleared(second)); err != nil {
		return err
	}
	return writeAll(disk, cleared(header))
}

// cleared is an extent of zeros in the same place.
func cleared(e extent) extent {
	e.data = make([]byte, len(e.data))
	return e
}

// readBack compares the ends of the disk with the table, after writing.
func (t table) readBack(disk device, want likeness) error {
	have, err := readEnds(disk, t.sizeBytes)
	if err != nil {
		return err
	}
	got, err := t.compare(have)
	if err != nil {
		return err
	}
	// A disk that was begun may have some of the second table beside the mark, but nothing but the mark was written.
	_, more := firstNonZero(have.tail[:mebibyte-t.sectorBytes])
	if got != want || want == begun && more {
		return errors.New("the disk does not hold what was written to it")
	}
	return nil
}
