// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"fmt"
	"strconv"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
)

const (
	// defaultBlockBytes is fio's own default.
	defaultBlockBytes = 4096
	// maxBlockBytes bounds the block size: every job keeps a buffer of it for each I/O in flight.
	maxBlockBytes = 1 << 30
)

// BlockBytes reads a block size as fio does: k and M are powers of 1024. Empty means fio's default, 4 KiB. The error is
// a *FieldError.
func BlockBytes(bs string) (int64, error) {
	if bs == "" {
		return defaultBlockBytes, nil
	}
	n, err := v1alpha1.ParseBlockSize(bs)
	if err != nil {
		return 0, &FieldError{Field: "bs",
			Problem: strconv.Quote(bs) + " is not a block size; write for example 4k, 128k or 1M"}
	}
	if n > maxBlockBytes {
		return 0, &FieldError{Field: "bs", Problem: strconv.Quote(bs) + " is above 1024M"}
	}
	return n, nil
}

// blocksOf are the largest and the smallest of a job's blocks.
func blocksOf(w v1alpha1.FioWorkload) (largest, smallest int64, err error) {
	if len(w.BSSplit) == 0 {
		n, err := BlockBytes(w.BS)
		return n, n, err
	}
	for i, s := range w.BSSplit {
		n, err := BlockBytes(s.BS)
		if err != nil {
			return 0, 0, err
		}
		if s.Percent < 1 || s.Percent > 100 {
			return 0, 0, &FieldError{Field: "bsSplit", Problem: strconv.Itoa(int(s.Percent)) + " is not a percentage"}
		}
		if i == 0 {
			smallest = n
		}
		largest, smallest = max(largest, n), min(smallest, n)
	}
	return largest, smallest, nil
}

// blocks writes the sizes of the blocks, which blocksOf has read.
func (f *file) blocks(w v1alpha1.FioWorkload, s shape) {
	if len(w.BSSplit) == 0 {
		f.setInt("bs", s.block)
		return
	}
	var parts []string
	for _, share := range w.BSSplit {
		n, _ := v1alpha1.ParseBlockSize(share.BS)
		parts = append(parts, fmt.Sprintf("%d/%d", n, share.Percent))
	}
	f.set("bssplit", strings.Join(parts, ":"))
}
