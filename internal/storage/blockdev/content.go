// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

const mebibyte = 1 << 20

// checkContent reads the disk itself. Its ends must contain only zeros, with or without a signature: tables, labels and
// superblocks are there, and our own table will be. Data in between is either what a benchmark left there, or data of
// somebody else whose signature is gone.
func (g *Guard) checkContent(_ context.Context, _ *hostState, disk *Disk) (err error) {
	opened, err := g.node.Open(g.node.path(disk.Device), shared)
	if err != nil {
		return fmt.Errorf("it cannot be read: %w", err)
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	if err := blankEnds(opened, disk); err != nil {
		return err
	}
	return g.checkBetween(opened, disk)
}

// checkEnds checks only the first and the last MiB.
func (g *Guard) checkEnds(_ context.Context, _ *hostState, disk *Disk) (err error) {
	opened, err := g.node.Open(g.node.path(disk.Device), shared)
	if err != nil {
		return fmt.Errorf("it cannot be read: %w", err)
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	return blankEnds(opened, disk)
}

func blankEnds(opened device, disk *Disk) error {
	if err := sameDevice(opened, disk); err != nil {
		return err
	}
	ends, err := readEnds(opened, disk.SizeBytes)
	if err != nil {
		return err
	}
	return ends.blank()
}

// checkBetween checks the disk between the first and the last MiB. The disk has to be readable even if the policy lets
// unsigned data be overwritten.
func (g *Guard) checkBetween(opened io.ReaderAt, disk *Disk) error {
	found, err := readProbes(opened, disk.SizeBytes)
	if err != nil || disk.OverwriteUnsigned {
		return err
	}
	at, err := dataInMargins(opened, disk.SizeBytes)
	if err != nil {
		return err
	}
	if at >= 0 {
		return &unsignedError{at}
	}
	if found.data < 0 {
		return nil
	}
	left, err := g.residues.left(disk)
	if err != nil {
		return err
	}
	if found.sum != left {
		return &unsignedError{found.data}
	}
	return nil
}

// unsignedError is data of unknown origin. A policy may let benchmarks overwrite it.
type unsignedError struct{ at int64 }

func (e *unsignedError) Error() string {
	return fmt.Sprintf("it is not blank: data at byte %d, without a signature, that no benchmark left; zero the disk, or "+
		"let the policy say unsignedData: Overwrite for it", e.at)
}

// sameDevice makes sure that an open device is the disk that was checked.
func sameDevice(opened device, disk *Disk) error {
	number, err := opened.Number()
	if err != nil {
		return fmt.Errorf("it cannot be identified: %w", err)
	}
	if number != disk.Number {
		return fmt.Errorf("%s is now %s and was %s", disk.Device, number, disk.Number)
	}
	size, err := opened.SizeBytes()
	if err != nil {
		return fmt.Errorf("its size cannot be read: %w", err)
	}
	if size != disk.SizeBytes {
		return fmt.Errorf("its driver says that it has %d bytes, the policy promises %d", size, disk.SizeBytes)
	}
	return nil
}

// ends are the first and the last MiB of a disk.
type ends struct{ head, tail []byte }

func readEnds(disk io.ReaderAt, sizeBytes int64) (ends, error) {
	e := ends{head: make([]byte, mebibyte), tail: make([]byte, mebibyte)}
	if _, err := disk.ReadAt(e.head, 0); err != nil {
		return ends{}, fmt.Errorf("its first MiB cannot be read: %w", err)
	}
	if _, err := disk.ReadAt(e.tail, sizeBytes-mebibyte); err != nil {
		return ends{}, fmt.Errorf("its last MiB cannot be read: %w", err)
	}
	return e, nil
}

// blank returns an error that says where the first nonzero byte is, or nil.
func (e ends) blank() error {
	if at, found := firstNonZero(e.head); found {
		return fmt.Errorf("it is not blank: data at byte %d", at)
	}
	if at, found := firstNonZero(e.tail); found {
		return fmt.Errorf("it is not blank: data %d bytes before its end", mebibyte-at)
	}
	return nil
}

// firstNonZero compares page by page, because almost all of the data is zeros.
func firstNonZero(data []byte) (int, bool) {
	var zeros [4096]byte
	for start := 0; start < len(data); start += len(zeros) {
		page := data[start:min(start+len(zeros), len(data))]
		if bytes.Equal(page, zeros[:len(page)]) {
			continue
		}
		return start + slices.IndexFunc(page, func(value byte) bool { return value != 0 }), true
	}
	return 0, false
}
