// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"strconv"

	"zfsbench.io/operator/api/v1alpha1"
)

const (
	// defaultBlockBytes is fio's own default.
	defaultBlockBytes = 4096
	// maxBlockBytes bounds the block size: every job keeps a buffer of it for each I/O in flight.
	maxBlockBytes = 1 << 30
)

// BlockBytes reads a block size as fio does: k and M are powers of 1024. Empty means fio's default, 4 KiB. The error is a *FieldError.
func BlockBytes(bs string) (int64, error) {
	if bs == "" {
		return defaultBlockBytes, nil
	}
	n, err := v1alpha1.ParseBlockSize(bs)
	if err != nil {
		return 0, &FieldError{Field: "bs", Problem: strconv.Quote(bs) + " is no block size; write for example 4k, 128k or 1M"}
	}
	if n > maxBlockBytes {
		return 0, &FieldError{Field: "bs", Problem: strconv.Quote(bs) + " is above 1024M"}
	}
	return n, nil
}
