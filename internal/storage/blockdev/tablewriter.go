// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"errors"
	"fmt"
)

// labelBytes at each end of a partition are zeroed before anybody sees it, and again before it is released. That covers
// every signature that blkid, udev and the kernel look for. OpenZFS's labels with its boot area reach furthest (4 MiB
// at the beginning, 512 KiB at the end), and so do the copies of a LUKS2 header (up to 4 MiB). md, LVM, DDF and others
// stay within the first and the last MiB.
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

// pieces cuts the image of the table into the protective MBR, the first header, the first entries, and the second table
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

// writeMark writes the mark, a single sector, which proves whose the disk is.
func (t table) writeMark(disk device) error { return writeAll(disk, t.markExtent()) }

// markExtent is the mark at its place on the disk.
func (t table) markExtent() extent {
	return extent{offset: t.sizeBytes - t.sectorBytes, data: t.mark()}
}

// writeTable writes the table: everybody who reads the disk from now on sees partitions. The second table, which
// replaces the mark, is on the medium before the first one is begun: so no disk with a mark has ever shown a partition.
// Without the first MiB nobody takes the second table for one: the kernel, udev and blkid require the protective MBR.
func (t table) writeTable(disk device) error {
	mbr, header, entries, second := t.pieces()
	if err := writeAll(disk, second); err != nil {
		return err
	}
	return writeAll(disk, header, entries, mbr)
}

// zeroedBeforeUse are the places in new partitions that are zeroed before anybody sees them: their ends, and the places
// that probes read, whose content must be defined after a discard.
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

// erase makes the ends of the disk blank again. The first header goes last, so that after a crash the rest is still
// provably ours. The labels in the partitions were cleared before.
func (t table) erase(disk device) error {
	mbr, header, entries, second := t.pieces()
	if err := writeAll(disk, cleared(mbr), cleared(entries), cleared(second)); err != nil {
		return err
	}
	return writeAll(disk, cleared(header))
}

// cleared is the same extent with zeros.
func cleared(e extent) extent {
	e.data = make([]byte, len(e.data))
	return e
}

// readBack checks what is on the disk after writing.
func (t table) readBack(disk device, want likeness) error {
	have, err := readEnds(disk, t.sizeBytes)
	if err != nil {
		return err
	}
	got, err := t.compare(have)
	if err != nil {
		return err
	}
	// A begun disk may contain some of the second table in addition to the mark; but here only the mark was written.
	_, more := firstNonZero(have.tail[:mebibyte-t.sectorBytes])
	if got != want || want == begun && more {
		return errors.New("the disk does not hold what was written to it")
	}
	return nil
}
