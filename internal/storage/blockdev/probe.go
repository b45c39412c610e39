// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
)

const (
	// probeCount probes of probeBytes, evenly spaced, are read between the margins of a disk. Data that covers a
	// contiguous five-hundredth of the disk is always found; data scattered over one hundredth is missed with a
	// probability below 1%. On a hard disk the probes take a few seconds.
	probeCount = 512
	probeBytes = 16 << 10
)

// margins returns the length of the area at the beginning of a disk that Release leaves as zeros, and where that area
// begins at the disk's end. It contains tables, labels, and the superblocks of nearly all filesystems.
func margins(sizeBytes int64) (margin, tail int64) {
	partition := partitionBytes(sizeBytes)
	length := min(labelBytes, partition/2)
	return mebibyte + length, mebibyte + partition - length
}

// wellKnown are the places, in bytes, where filesystems keep backup copies of their superblock: btrfs (64 MiB, 256
// GiB), ext2 to ext4 with blocks of 1 KiB (the groups 3, 5, 7 and 9; 1 is in the margin), 2 KiB and 4 KiB (the groups
// 1, 3, 5 and 7).
func wellKnown() []int64 {
	const gib = 1 << 30
	return []int64{
		24 * mebibyte, 40 * mebibyte, 56 * mebibyte, 72 * mebibyte,
		32 * mebibyte, 64 * mebibyte, 96 * mebibyte, 128 * mebibyte, 160 * mebibyte, 224 * mebibyte, 384 * mebibyte,
		640 * mebibyte, 896 * mebibyte,
		256 * gib,
	}
}

// probeOffsets are the places to probe on a disk of this size, in order: evenly spaced, at the starts of the quarters
// (XFS's allocation groups, NTFS's copy), and at the well-known places, both of a filesystem on the whole disk and of
// one in a partition that starts at 1 MiB.
func probeOffsets(sizeBytes int64) []int64 {
	margin, tail := margins(sizeBytes)
	var offsets []int64
	add := func(offset int64) {
		offset -= offset % probeBytes
		if offset >= margin && offset+probeBytes <= tail {
			offsets = append(offsets, offset)
		}
	}
	for i := range int64(probeCount) {
		add(margin + (tail-margin)/probeCount*i)
	}
	for _, offset := range append(wellKnown(), sizeBytes/4, sizeBytes/2, sizeBytes/4*3) {
		add(offset)
		add(offset + mebibyte)
	}
	add(tail - probeBytes)
	slices.Sort(offsets)
	return slices.Compact(offsets)
}

// probes is what was read at the probed places of a disk.
type probes struct {
	// sum identifies all the data that was read.
	sum string
	// data is the place of the first nonzero byte, or -1.
	data int64
}

func readProbes(disk io.ReaderAt, sizeBytes int64) (probes, error) {
	found := probes{data: -1}
	hash := sha256.New()
	block := make([]byte, probeBytes)
	for _, offset := range probeOffsets(sizeBytes) {
		if _, err := disk.ReadAt(block, offset); err != nil {
			return probes{}, fmt.Errorf("it cannot be read at byte %d: %w", offset, err)
		}
		at, some := firstNonZero(block)
		if !some {
			continue
		}
		if found.data < 0 {
			found.data = offset + int64(at)
		}
		fmt.Fprintf(hash, "%d:", offset)
		hash.Write(block)
	}
	found.sum = hex.EncodeToString(hash.Sum(nil))
	return found, nil
}

// dataInMargins is the place of the first nonzero byte in the margins, or -1. The outermost MiB was checked before.
func dataInMargins(disk io.ReaderAt, sizeBytes int64) (int64, error) {
	margin, tail := margins(sizeBytes)
	buffer := make([]byte, mebibyte)
	for _, part := range [][2]int64{{mebibyte, margin}, {tail, sizeBytes - mebibyte}} {
		for offset := part[0]; offset < part[1]; offset += mebibyte {
			block := buffer[:min(mebibyte, part[1]-offset)]
			if _, err := disk.ReadAt(block, offset); err != nil {
				return 0, fmt.Errorf("it cannot be read at byte %d: %w", offset, err)
			}
			if at, some := firstNonZero(block); some {
				return offset + int64(at), nil
			}
		}
	}
	return -1, nil
}
