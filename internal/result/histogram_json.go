// SPDX-License-Identifier: Apache-2.0

package result

import (
	"encoding/json"
	"fmt"
)

// histogramJSON is a histogram in a document: bin numbers as differences, the first counted from zero, and the counts
// beside them. Bin numbers are the ones of fio's stat.c at the histogram's resolution.
type histogramJSON struct {
	Bits   int     `json:"bits"`
	Index  []int   `json:"index"`
	Counts []int64 `json:"counts"`
}

// MarshalJSON writes {"bits":6,"index":[first, differences...],"counts":[...]}. A histogram whose bins are impossible
// is an error.
func (h Histogram) MarshalJSON() ([]byte, error) {
	if err := h.check(); err != nil {
		return nil, err
	}
	out := histogramJSON{Bits: h.Bits, Index: make([]int, len(h.Bins)), Counts: make([]int64, len(h.Bins))}
	previous := 0
	for i, b := range h.Bins {
		index := binIndex(b.Nanoseconds, h.Bits)
		out.Index[i], out.Counts[i], previous = index-previous, b.Count, index
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes and refuses everything else: unknown resolutions, bins out of range or
// order, counts that are not positive or overflow together.
func (h *Histogram) UnmarshalJSON(data []byte) error {
	var in histogramJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	if in.Bits < 0 || in.Bits > MaxHistogramBits {
		return fmt.Errorf("histogram: resolution of %d bits is not within 0 to %d", in.Bits, MaxHistogramBits)
	}
	if len(in.Index) != len(in.Counts) || len(in.Index) > binLimit(in.Bits) {
		return fmt.Errorf("histogram: %d bin numbers beside %d counts", len(in.Index), len(in.Counts))
	}
	out := Histogram{Bits: in.Bits, Bins: make([]Bin, len(in.Index))}
	index := 0
	for i, step := range in.Index {
		if step < 0 || step >= binLimit(in.Bits)-index {
			return fmt.Errorf("histogram: bin number step %d is out of range", step)
		}
		index += step
		out.Bins[i] = Bin{Nanoseconds: binValue(index, in.Bits), Count: in.Counts[i]}
	}
	if err := out.check(); err != nil {
		return fmt.Errorf("histogram: %w", err)
	}
	*h = out
	return nil
}
