// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"
	"io"
)

const (
	mebibyte = 1 << 20
	// sampleCount blocks of sampleBytes between the ends of a disk are read.
	sampleCount = 16
	sampleBytes = 4096
)

// checkContent reads the disk itself. Its first and last MiB, where tables, labels and superblocks are and where our own table goes, must hold nothing but zeros, signed
// or not. In between it only has to be readable: benchmarks leave their data there, and nothing tells it from anybody else's.
func (g *Guard) checkContent(_ context.Context, _ *surroundings, disk *Disk) (err error) {
	opened, err := g.node.Open(g.node.path(disk.Device), shared)
	if err != nil {
		return fmt.Errorf("it cannot be read: %w", err)
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	if err := sameDevice(opened, disk); err != nil {
		return err
	}
	ends, err := readEnds(opened, disk.SizeBytes)
	if err != nil {
		return err
	}
	if err := ends.blank(); err != nil {
		return err
	}
	return readSamples(opened, disk.SizeBytes)
}

// sameDevice makes sure that an open device is the disk that was looked at.
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

// blank returns an error that says where the first byte other than zero is.
func (e ends) blank() error {
	if at, found := firstNonZero(e.head); found {
		return fmt.Errorf("it is not blank: data at byte %d", at)
	}
	if at, found := firstNonZero(e.tail); found {
		return fmt.Errorf("it is not blank: data %d bytes before its end", mebibyte-at)
	}
	return nil
}

func firstNonZero(data []byte) (int, bool) {
	for at, value := range data {
		if value != 0 {
			return at, true
		}
	}
	return 0, false
}

// readSamples fails when one of them cannot be read: a disk that lies about its size, or is dying.
func readSamples(disk io.ReaderAt, sizeBytes int64) error {
	sample := make([]byte, sampleBytes)
	for i := range int64(sampleCount) {
		offset := mebibyte + (sizeBytes-2*mebibyte)/sampleCount*i
		offset -= offset % sampleBytes
		if _, err := disk.ReadAt(sample, offset); err != nil {
			return fmt.Errorf("it cannot be read at byte %d: %w", offset, err)
		}
	}
	return nil
}
