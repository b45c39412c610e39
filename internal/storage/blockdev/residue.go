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
// disk after each benchmark would take hours. Instead, the data at the probed places is recorded when a disk is
// released. If it is still the same later, it is a benchmark's.
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
	// Scan says how long a full scan of the disk stays valid; nil if there was none, or it is no longer valid.
	Scan *scan `json:"scan,omitempty"`
}

// residueVersion changes when probes read other places than before: older records are then useless.
const residueVersion = 1

// file is named after the identity of the disk, not after its path.
func (r Residues) file(disk *Disk) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", joinWords(disk.Serial), disk.WWID, disk.SizeBytes))
	return filepath.Join(r.directory, hex.EncodeToString(sum[:16])+".json")
}

// read returns what is recorded about a disk; empty if there is no record, or no valid one.
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

// left returns probes.sum from when a benchmark released the disk, or nothing.
func (r Residues) left(disk *Disk) (string, error) {
	known, err := r.read(disk)
	return known.ProbesSHA256, err
}

// remember records what a benchmark leaves, and how long a full scan stays valid. The disk must still belong to the
// benchmark.
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
		return fmt.Errorf("what the benchmark leaves on it cannot be recorded: %w", err)
	}
	return nil
}
