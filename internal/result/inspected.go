// SPDX-License-Identifier: Apache-2.0

package result

import (
	"errors"
	"fmt"
)

// Inspected is what zdb found on a pool after a workload that asks for it.
type Inspected struct {
	// Allocation is how the files or volumes of the dataset and its children lie on the vdevs; nil if that was not asked
	// for, or is not known.
	Allocation *Allocation `json:"allocation,omitempty"`
	// SimulatedDedup is what deduplication would do for everything in the pool; nil if that was not asked for, or is not
	// known.
	SimulatedDedup *SimulatedDedup `json:"simulatedDedup,omitempty"`
	// Missing says why something that was asked for is not known, by its name in the spec.
	Missing map[string]string `json:"missing,omitempty" bound:"512"`
}

// Allocation counts the blocks of data that are stored, without what needs no space: holes, and data within block
// pointers. Of a block that is stored several times, the first copy counts.
type Allocation struct {
	// Files is how many files and volumes have blocks.
	Files  int64 `json:"files"`
	Blocks int64 `json:"blocks"`
	// Bytes is what the blocks take, with parity and padding.
	Bytes int64 `json:"bytes"`
	// Neighbours is how many blocks follow another one of the same file on the same vdev. Gaps is how many of these do not
	// begin where that one ends.
	Neighbours int64 `json:"neighbours"`
	Gaps       int64 `json:"gaps"`
}

// FragmentationPercent is how many neighbours of a hundred have a gap between them; 0 without any.
func (a Allocation) FragmentationPercent() float64 {
	if a.Neighbours == 0 {
		return 0
	}
	return float64(a.Gaps) / float64(a.Neighbours) * 100
}

// Extents is in how many pieces the files are.
func (a Allocation) Extents() int64 { return a.Blocks - a.Neighbours + a.Gaps }

// MeanExtentBytes is how long a piece is on average; 0 if there is none.
func (a Allocation) MeanExtentBytes() float64 {
	if a.Extents() == 0 {
		return 0
	}
	return float64(a.Bytes) / float64(a.Extents())
}

// Plus adds another dataset.
func (a Allocation) Plus(b Allocation) Allocation {
	return Allocation{a.Files + b.Files, a.Blocks + b.Blocks, a.Bytes + b.Bytes, a.Neighbours + b.Neighbours,
		a.Gaps + b.Gaps}
}

// SimulatedDedup are the factors that `zdb -S` prints, with two decimals.
type SimulatedDedup struct {
	// Dedup is referenced by allocated, Compress is what compression saves, Copies how often each block is stored.
	Dedup    float64 `json:"dedup"`
	Compress float64 `json:"compress"`
	Copies   float64 `json:"copies"`
	// Combined is Dedup times Compress by Copies.
	Combined float64 `json:"combined"`
}

// check says what of it cannot be true, or nil.
func (i *Inspected) check() error {
	if i == nil {
		return nil
	}
	if a := i.Allocation; a != nil &&
		(a.Files > a.Blocks || a.Neighbours > a.Blocks || a.Gaps > a.Neighbours || a.Blocks > a.Bytes ||
			a.Files == 0 && a.Blocks > 0) {
		return fmt.Errorf("%d files of %d blocks and %d bytes, with %d gaps between %d neighbours", a.Files, a.Blocks,
			a.Bytes, a.Gaps, a.Neighbours)
	}
	if d := i.SimulatedDedup; d != nil && (d.Dedup <= 0 || d.Compress <= 0 || d.Copies <= 0 || d.Combined <= 0) {
		return errors.New("a factor of the simulated deduplication is 0")
	}
	return nil
}
