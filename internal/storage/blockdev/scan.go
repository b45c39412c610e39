// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

const (
	// scanPieceBytes is read at once. scanReaders work in parallel, so that the disk does not wait while data is
	// compared.
	scanPieceBytes = 4 * mebibyte
	scanReaders    = 4
)

// scan is the validity of a full scan: it is valid as long as the disk still has these values.
type scan struct {
	// BootID is the node's boot ID, Sequence the disk's sequence number.
	BootID   string `json:"bootID"`
	Sequence string `json:"diskSequence"`
	// WrittenSectors and DiscardedSectors are the disk's counters since it appeared.
	WrittenSectors   uint64 `json:"writtenSectors"`
	DiscardedSectors uint64 `json:"discardedSectors"`
	// Owner is the GUID of the partition table of the benchmark that uses the disk; empty if none does.
	Owner string `json:"owner,omitempty"`
}

// Scan reads every byte of a disk that Check accepted, and refuses the disk if one is not zero. If an earlier full scan
// is still valid, it reads nothing: only benchmarks have written to the disk since then. Several goroutines call read
// with the number of bytes read so far. Scan writes nothing to the disk. The error is nil or a *Refusal.
func (g *Guard) Scan(ctx context.Context, disk Disk, read func(bytes int64)) error {
	if err := g.scan(ctx, &disk, read); err != nil {
		return &Refusal{Device: disk.Name, Path: disk.Path, Step: StepContent, Cause: err}
	}
	return nil
}

func (g *Guard) scan(ctx context.Context, disk *Disk, read func(bytes int64)) (err error) {
	known, err := g.residues.read(disk)
	if err != nil {
		return err
	}
	before, err := g.countWrites(disk)
	if err != nil || known.isScanned(before) {
		return err
	}
	opened, err := g.openToScan(ctx, disk)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	at, err := readAll(ctx, opened, disk.SizeBytes, read)
	if err != nil {
		return err
	}
	if at >= 0 {
		return fmt.Errorf("it is not blank: data at byte %d; content: Full wants every byte to be zero, and no full scan "+
			"counts since "+
			"which only benchmarks have written to the disk; zero the disk, or let the policy say content: Sampled for it", at)
	}
	after, err := g.countWrites(disk)
	if err == nil && *after != *before {
		err = errors.New("something wrote to it while it was read")
	}
	if err != nil {
		return err
	}
	found, err := readProbes(opened, disk.SizeBytes)
	if err != nil {
		return err
	}
	return g.residues.remember(disk, found.sum, after)
}

// openToScan opens the disk so that nobody can mount it during the scan.
func (g *Guard) openToScan(ctx context.Context, disk *Disk) (opened device, err error) {
	err = retry(ctx, openPatience, func() (err error) {
		if opened, err = g.node.Open(g.node.path(disk.Device), exclusive); err != nil {
			return fmt.Errorf("it is in use: %w", err)
		}
		if err = g.stillTheDisk(opened, disk); err != nil {
			return errors.Join(err, opened.Close())
		}
		return nil
	})
	return opened, err
}

// isScanned says whether a full scan is still valid, given the disk's current values. A benchmark that has taken the
// disk since, but has not written anything, makes no difference.
func (r residue) isScanned(now *scan) bool {
	if r.Scan == nil || now == nil {
		return false
	}
	known := *r.Scan
	known.Owner = ""
	return known == *now
}

// countWrites returns the values by which a scan that ends now is valid.
func (g *Guard) countWrites(disk *Disk) (*scan, error) {
	number := disk.Number.String()
	boot, err := g.node.read("/proc/sys/kernel/random/boot_id")
	counting, err2 := g.node.read("/sys/dev/block", number, "queue/iostats")
	stat, err3 := g.node.read("/sys/dev/block", number, "stat")
	if err := errors.Join(err, err2, err3); err != nil {
		return nil, fmt.Errorf("nobody can say how much was written to it: %w", err)
	}
	if boot == "" || disk.Sequence == "" || counting != "1" {
		return nil, errors.New("nobody can say until when a full scan of it counts: the kernel does not count what is " +
			"written to it " +
			"(its queue/iostats is 0), or has no diskseq (before Linux 5.15); let the policy say content: Sampled for it")
	}
	now := &scan{BootID: boot, Sequence: disk.Sequence}
	if now.WrittenSectors, now.DiscardedSectors, err = parseStat(stat); err != nil {
		return nil, fmt.Errorf("nobody can say how much was written to it: %w", err)
	}
	return now, nil
}

// parseStat reads the sectors written and discarded from a disk's stat (Documentation/block/stat.rst).
func parseStat(text string) (written, discarded uint64, err error) {
	const writeSectors, discardSectors = 6, 13
	fields := strings.Fields(text)
	if len(fields) <= discardSectors {
		return 0, 0, fmt.Errorf("its stat has %d fields, want at least %d", len(fields), discardSectors+1)
	}
	written, err = strconv.ParseUint(fields[writeSectors], 10, 64)
	if err == nil {
		discarded, err = strconv.ParseUint(fields[discardSectors], 10, 64)
	}
	return written, discarded, err
}

// takeScan records, before the first byte is written, that a benchmark takes a disk with a valid full scan. It refuses
// a disk that has to be scanned if no scan is valid any more.
func (g *Guard) takeScan(disk *Disk, t table) error {
	now, err := g.countWrites(disk)
	if err != nil {
		if disk.FullScan {
			return err
		}
		return nil // only a disk that has to be scanned needs the counts
	}
	known, err := g.residues.read(disk)
	switch {
	case err == nil && known.isScanned(now):
		taken := *now
		taken.Owner = t.diskGUID.String()
		return g.residues.remember(disk, known.ProbesSHA256, &taken)
	case disk.FullScan && err == nil:
		return errors.New("something has written to it since the full scan that content: Full requires")
	case disk.FullScan:
		return err
	}
	return nil
}

// returnScan makes a full scan valid again when a benchmark releases a disk that it took with a valid scan, in the same
// boot. Everything written to the disk in between is then the benchmark's.
func (g *Guard) returnScan(disk *Disk, t table, sum string) error {
	known, err := g.residues.read(disk)
	if err != nil || known.Scan == nil || known.Scan.Owner != t.diskGUID.String() {
		return err
	}
	now, err := g.countWrites(disk)
	if err != nil || now.BootID != known.Scan.BootID || now.Sequence != known.Scan.Sequence {
		now = nil // The scan is no longer valid.
	}
	return g.residues.remember(disk, sum, now)
}

// readAll reads everything, and returns the place of the first nonzero byte, or -1. It stops with the context's cause.
func readAll(ctx context.Context, disk io.ReaderAt, sizeBytes int64, read func(bytes int64)) (int64, error) {
	s := scanner{sizeBytes: sizeBytes, data: -1}
	var readers sync.WaitGroup
	for range scanReaders {
		readers.Go(func() {
			buffer := alignedBuffer(scanPieceBytes)
			for piece := s.next(); piece.offset < sizeBytes; piece = s.next() {
				piece.data = buffer[:min(scanPieceBytes, sizeBytes-piece.offset)]
				err := context.Cause(ctx)
				if err == nil {
					_, err = disk.ReadAt(piece.data, piece.offset)
				}
				s.compare(piece, err)
				read(int64(len(piece.data)))
			}
		})
	}
	readers.Wait()
	return s.data, s.err
}

// scanner gives pieces of a disk to readers, in order, until one of them finds something.
type scanner struct {
	sizeBytes int64

	mu   sync.Mutex
	at   int64
	data int64
	err  error
}

// next is the next piece to read, or an empty one at the end of the disk.
func (s *scanner) next() extent {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil || s.data >= 0 {
		return extent{offset: s.sizeBytes}
	}
	piece := extent{offset: s.at}
	s.at += scanPieceBytes
	return piece
}

func (s *scanner) compare(piece extent, err error) {
	at, some := 0, false
	if err == nil {
		at, some = firstNonZero(piece.data)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil:
		s.err = errors.Join(s.err, fmt.Errorf("it cannot be read at byte %d: %w", piece.offset, err))
	case some && (s.data < 0 || piece.offset+int64(at) < s.data):
		s.data = piece.offset + int64(at)
	}
}

// alignedBuffer is memory that direct I/O reads into.
func alignedBuffer(length int) []byte {
	const page = 4096
	buffer := make([]byte, length+page)
	skip := -uintptr(unsafe.Pointer(&buffer[0])) % page
	return buffer[skip : skip+uintptr(length)]
}
