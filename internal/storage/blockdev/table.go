// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"unicode/utf16"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/mdraid"
)

// The layout of a GUID partition table (UEFI specification 2.10, chapter 5.3).
const (
	gptEntries    = 128
	gptEntryBytes = 128
	gptHeader     = 92
	gptRevision   = 0x00010000
	// partitionType is the type of a ZFS device.
	partitionType = "6a898cc3-1dd2-11b2-99a6-080020736631"
	// partitionName is shown to people in listings.
	partitionName = "zfsbench"
	// maxPartitions is far more than a pool needs on one disk.
	maxPartitions = 16
	// minimumPartitionBytes is OpenZFS's minimum size of a device.
	minimumPartitionBytes = 64 * mebibyte
)

// table is the only kind of partition table that this package writes: a GPT with one or more contiguous partitions. The
// first MiB, and everything from the last whole MiB on, belongs to the table. Its content is determined by the disk and
// by GUIDs and sizes, which are recorded before anything is written. So every sector of it can be recognised, and a
// table that was half written or half erased when the power failed is still provably ours.
type table struct {
	diskGUID               guid
	partitions             []partition
	sizeBytes, sectorBytes int64
}

// partition is a part of the disk, in bytes from its beginning.
type partition struct {
	guid                  guid
	startBytes, sizeBytes int64
	// filesystem is the UUID of the filesystem that may be in the partition, or on the array that the partition is a
	// member of; empty if there may be none.
	filesystem string
	// array is the UUID of the md array whose member the partition may be; zero if there is none.
	array mdraid.UUID
}

// newTable is the table of a disk as it was recorded. Partition sizes are whole MiB; the last partition may take all
// the rest.
func newTable(disk *Disk, owned result.OwnedDevice) (table, error) {
	t := table{sizeBytes: disk.SizeBytes, sectorBytes: disk.SectorBytes}
	var err error
	if t.diskGUID, err = parseGUID(owned.DiskGUID); err != nil {
		return table{}, fmt.Errorf("disk GUID: %w", err)
	}
	if t.sizeBytes < minimumBytes || t.sectorBytes < 512 || mebibyte%t.sectorBytes != 0 || t.sizeBytes%t.sectorBytes != 0 {
		return table{}, fmt.Errorf("%d bytes in sectors of %d hold no partition", t.sizeBytes, t.sectorBytes)
	}
	if n := len(owned.Partitions); n == 0 || n > maxPartitions {
		return table{}, fmt.Errorf("%d partitions, want 1 to %d", n, maxPartitions)
	}
	start, left := int64(mebibyte), partitionBytes(t.sizeBytes)
	for i, p := range owned.Partitions {
		id, err := parseGUID(p.GUID)
		if err != nil {
			return table{}, fmt.Errorf("partition GUID: %w", err)
		}
		size := p.SizeBytes
		if size == 0 && i == len(owned.Partitions)-1 {
			size = left
		}
		if size < minimumPartitionBytes || size%mebibyte != 0 || size > left {
			return table{}, fmt.Errorf("partition %s of %d bytes does not fit: it must have whole MiB, at least %d, and at "+
				"most the %d that are left of the disk", p.Name, p.SizeBytes, minimumPartitionBytes/mebibyte, left/mebibyte)
		}
		made := partition{guid: id, startBytes: start, sizeBytes: size, filesystem: p.FilesystemUUID}
		if p.ArrayUUID != "" {
			if made.array, err = mdraid.ParseUUID(p.ArrayUUID); err != nil {
				return table{}, fmt.Errorf("array of partition %s: %w", p.Name, err)
			}
		}
		t.partitions = append(t.partitions, made)
		start, left = start+size, left-size
	}
	return t, nil
}

// partitionBytes is the total size of a disk's partitions, which start at 1 MiB.
func partitionBytes(diskBytes int64) int64 { return diskBytes/mebibyte*mebibyte - 2*mebibyte }

// sectors is the number of sectors of the disk.
func (t table) sectors() int64 { return t.sizeBytes / t.sectorBytes }

// entrySectors is the number of sectors of the partition entries.
func (t table) entrySectors() int64 {
	return (gptEntries*gptEntryBytes + t.sectorBytes - 1) / t.sectorBytes
}

// image is the two ends of the disk with the table.
func (t table) image() ends {
	e := ends{head: make([]byte, mebibyte), tail: make([]byte, mebibyte)}
	last := t.sectors() - 1
	entries := t.entries()
	copy(e.head, t.protective())
	copy(e.head[t.sectorBytes:], t.header(1, last, 2, entries))
	copy(e.head[2*t.sectorBytes:], entries)
	copy(e.tail[mebibyte-(1+t.entrySectors())*t.sectorBytes:], entries)
	copy(e.tail[mebibyte-t.sectorBytes:], t.header(last, 1, last-t.entrySectors(), entries))
	return e
}

// protective is the MBR that tells old tools that the whole disk is in use.
func (t table) protective() []byte {
	mbr := make([]byte, 512)
	// One entry: not bootable, from sector 1 (in cylinders, heads and sectors: 0/0/2), type EE, to the end or as far as 32
	// bits count.
	entry := []byte{0, 0, 2, 0, 0xee, 0xff, 0xff, 0xff}
	entry = binary.LittleEndian.AppendUint32(entry, 1)
	entry = binary.LittleEndian.AppendUint32(entry, uint32(min(t.sectors()-1, 0xffffffff)))
	copy(mbr[446:], entry)
	mbr[510], mbr[511] = 0x55, 0xaa
	return mbr
}

// header is a header in one sector. It contains its own place, the place of the other header, and the place of its
// entries.
func (t table) header(own, other, entriesAt int64, entries []byte) []byte {
	little := binary.LittleEndian
	h := []byte("EFI PART")
	h = little.AppendUint32(h, gptRevision)
	h = little.AppendUint32(h, gptHeader)
	h = little.AppendUint32(h, 0) // the checksum, below
	h = little.AppendUint32(h, 0)
	h = little.AppendUint64(h, uint64(own))
	h = little.AppendUint64(h, uint64(other))
	h = little.AppendUint64(h, uint64(mebibyte/t.sectorBytes))
	h = little.AppendUint64(h, uint64(t.sectors()-2-t.entrySectors()))
	h = append(h, t.diskGUID[:]...)
	h = little.AppendUint64(h, uint64(entriesAt))
	h = little.AppendUint32(h, gptEntries)
	h = little.AppendUint32(h, gptEntryBytes)
	h = little.AppendUint32(h, crc32.ChecksumIEEE(entries))
	little.PutUint32(h[16:], crc32.ChecksumIEEE(h))
	return h
}

// markSignature replaces "EFI PART" in the mark.
const markSignature = "ZFSBENCH"

// mark is the last sector of the disk from the first write until the second table is written. It is the second header
// with a different signature, so that nobody takes it for a table. A disk whose table was ever complete does not have
// the mark, so a disk with the mark has never shown a partition. Its GUID and checksums prove whose it is.
func (t table) mark() []byte {
	last := t.sectors() - 1
	sector := make([]byte, t.sectorBytes)
	copy(sector, t.header(last, 1, last-t.entrySectors(), t.entries()))
	copy(sector, markSignature)
	return sector
}

// guidSectors is the number of sectors of the entries that contain a partition's GUID.
func (t table) guidSectors() int64 {
	return (int64(len(t.partitions))*gptEntryBytes + t.sectorBytes - 1) / t.sectorBytes
}

// entries is the array of partitions: ours, and empty ones.
func (t table) entries() []byte {
	little := binary.LittleEndian
	kind, err := parseGUID(partitionType)
	if err != nil {
		panic(err) // a constant of this file
	}
	array := make([]byte, gptEntries*gptEntryBytes)
	for i, p := range t.partitions {
		e := append(append([]byte{}, kind[:]...), p.guid[:]...)
		e = little.AppendUint64(e, uint64(p.startBytes/t.sectorBytes))
		e = little.AppendUint64(e, uint64((p.startBytes+p.sizeBytes)/t.sectorBytes-1))
		e = little.AppendUint64(e, 0)
		for _, unit := range utf16.Encode([]rune(partitionName)) {
			e = little.AppendUint16(e, unit)
		}
		copy(array[i*gptEntryBytes:], e)
	}
	return array
}

// likeness says how the ends of a disk compare with the table.
type likeness int

const (
	// foreign contains something that is not in the table, or nothing that proves whose it is.
	foreign likeness = iota
	// blank contains only zeros.
	blank
	// begun contains the mark and nothing of the first table: preparing was interrupted before there was a table that
	// anybody could see. The ends of the partitions may still contain older data.
	begun
	// partial contains some sectors of the table, and zeros in place of others: writing or erasing was interrupted, or
	// somebody else zeroed a part of it. The partitions may have been used.
	partial
	// complete is the whole table.
	complete
)

// compare says how the ends of a disk compare with the table. It compares sectors, because a disk writes a sector
// completely or not at all. For foreign ends the error says where, and is ErrNotOurs if there is also nothing of ours.
func (t table) compare(have ends) (likeness, error) {
	want := t.image()
	isMarked := bytes.Equal(have.tail[mebibyte-t.sectorBytes:], t.mark())
	if isMarked {
		copy(want.tail[mebibyte-t.sectorBytes:], t.mark())
	}
	entries, last := mebibyte/t.sectorBytes-1-t.entrySectors(), mebibyte/t.sectorBytes-1
	// The headers contain the disk's GUID, the first sectors of the entries the partitions' GUIDs.
	isProof := func(header, entries int64) func(int64) bool {
		return func(sector int64) bool {
			return sector == header || sector >= entries && sector < entries+t.guidSectors()
		}
	}
	seen := t.compareEnd(have.head, want.head, isProof(1, 2))
	tail := t.compareEnd(have.tail, want.tail, isProof(last, entries))
	strange := ""
	switch {
	case seen.strange >= 0:
		strange = fmt.Sprintf("sector %d of its first MiB is not the benchmark's", seen.strange)
	case tail.strange >= 0:
		strange = fmt.Sprintf("sector %d of its last MiB is not the benchmark's", tail.strange)
	}
	first := seen.ours
	seen.ours, seen.proofs, seen.missing = seen.ours+tail.ours, seen.proofs+tail.proofs, seen.missing+tail.missing
	switch {
	case strange != "" && seen.proofs > 0:
		return foreign, errors.New(strange)
	case strange != "":
		return foreign, fmt.Errorf("%w: %s", ErrNotOurs, strange)
	case seen.ours == 0:
		return blank, nil
	case seen.proofs == 0:
		return foreign, fmt.Errorf("%w: it has a protective partition table, but nothing proves whose it is", ErrNotOurs)
	case isMarked && first == 0:
		return begun, nil
	case isMarked || seen.missing > 0:
		return partial, nil
	default:
		return complete, nil
	}
}

// tally counts the sectors of one end: our sectors, our sectors that contain a GUID, and sectors that are zero instead
// of ours. strange is the first other sector, or -1.
type tally struct {
	ours, proofs, missing int
	strange               int64
}

func (t table) compareEnd(have, want []byte, isProof func(sector int64) bool) tally {
	seen := tally{strange: -1}
	for sector := range mebibyte / t.sectorBytes {
		has := have[sector*t.sectorBytes : (sector+1)*t.sectorBytes]
		same := bytes.Equal(has, want[sector*t.sectorBytes:(sector+1)*t.sectorBytes])
		_, used := firstNonZero(has)
		switch {
		case used && same:
			seen.ours++
			if isProof(sector) {
				seen.proofs++
			}
		case used && seen.strange < 0:
			seen.strange = sector
		case !used && !same:
			seen.missing++
		}
	}
	return seen
}
