// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"zfsbench.io/operator/internal/node/durable"
)

// Residues records, in a directory of the node, what benchmarks have left between the margins of disks. Zeroing a whole
// disk after each benchmark would take hours. So the data that the probes find there is recorded when a disk is
// released, and if it is still the same, it is the benchmarks'.
type Residues struct{ directory string }

// NewResidues returns the residues recorded in a directory, which is created when it is first needed.
func NewResidues(directory string) Residues { return Residues{directory: directory} }

// residue is the content of one file.
type residue struct {
	Version   int    `json:"version"`
	Path      string `json:"path"`
	Serial    string `json:"serial"`
	SizeBytes int64  `json:"sizeBytes"`
	// ProbesSHA256 is probes.sum.
	ProbesSHA256 string `json:"probesSHA256"`
	// Scan says until when a full scan of the disk counts; nil if there was none, or it no longer counts.
	Scan *scan `json:"scan,omitempty"`
}

// residueVersion changes when probes read anything else than before: what was written down then says nothing any more.
const residueVersion = 1

// file is named after what the disk is, not after where it is found.
func (r Residues) file(disk *Disk) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", joinWords(disk.Serial), disk.WWID, disk.SizeBytes))
	return filepath.Join(r.directory, hex.EncodeToString(sum[:16])+".json")
}

// read returns what is written down of a disk: empty if there is nothing, or nothing that counts.
func (r Residues) read(disk *Disk) (residue, error) {
	data, err := os.ReadFile(r.file(disk))
	if errors.Is(err, os.ErrNotExist) {
		return residue{}, nil
	}
	if err != nil {
		return residue{}, fmt.Errorf("what benchmarks left on it is not known: %w", err)
	}
	var known residue
	if err := json.Unmarshal(data, &known); err != nil {
		return residue{}, fmt.Errorf("what benchmarks left on it is not known: %s: %w", r.file(disk), err)
	}
	if known.Version != residueVersion || joinWords(known.Serial) != joinWords(disk.Serial) ||
		known.SizeBytes != disk.SizeBytes {
		return residue{}, nil
	}
	return known, nil
}

// left returns probes.sum as of when a benchmark gave the disk back, or nothing.
func (r Residues) left(disk *Disk) (string, error) {
	known, err := r.read(disk)
	return known.ProbesSHA256, err
}

// remember writes down what a benchmark leaves, and until when a full scan counts. The disk must still be the
// benchmark's.
func (r Residues) remember(disk *Disk, sum string, scanned *scan) error {
	data, err := json.MarshalIndent(residue{
		Version: residueVersion, Path: disk.Path, Serial: disk.Serial, SizeBytes: disk.SizeBytes, ProbesSHA256: sum,
		Scan: scanned,
	}, "", "  ")
	if err == nil {
		err = os.MkdirAll(r.directory, 0o700)
	}
	if err == nil {
		err = durable.WriteFile(r.file(disk), data)
	}
	if err != nil {
		return fmt.Errorf("what the benchmark leaves on it cannot be written down: %w", err)
	}
	return nil
}
