// SPDX-License-Identifier: Apache-2.0

package result

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"
)

// MaxHistogramBits is the resolution of fio's own histograms: FIO_IO_U_PLAT_BITS in fio's stat.h.
const MaxHistogramBits = 6

// maxValueBit is the highest bit that distinguishes latencies: fio counts everything from 2^34 ns (17 s) on in its last
// bin (FIO_IO_U_PLAT_GROUP_NR is 29).
const maxValueBit = 33

// Histogram counts latencies per bin. Histograms merge by adding counts; percentiles of a merged histogram are true
// percentiles, to the width of a bin.
type Histogram struct {
	// Bits is the resolution: every power of two is divided into 2^Bits bins of equal width, so that a latency is known to
	// within 2^-(Bits+1) of its value. It is 6 as fio measures, and less when the histogram was made smaller to fit its
	// transport.
	Bits int
	// Bins that counted something, in ascending order.
	Bins []Bin
}

// Bin is one bin of a histogram: the latency that stands for it, in nanoseconds, which is the middle of the bin as fio
// reports it, and how many I/O fell into it.
type Bin struct {
	Nanoseconds int64
	Count       int64
}

// IsZero says whether nothing was counted; it keeps an empty histogram out of JSON.
func (h Histogram) IsZero() bool { return len(h.Bins) == 0 }

// Count is the number of I/O counted.
func (h Histogram) Count() int64 {
	var n int64
	for _, b := range h.Bins {
		n += b.Count
	}
	return n
}

// Percentile is the latency in nanoseconds below or at which p percent of the I/O finished: the value of the first bin
// at which the cumulative count reaches p percent, exactly as calc_clat_percentiles in fio's stat.c defines it, down to
// the rounding of its 80-bit arithmetic. It is 0 for an empty histogram.
func (h Histogram) Percentile(p float64) int64 {
	if h.IsZero() {
		return 0
	}
	rank := percentileRank(p, h.Count())
	var sum int64
	for _, b := range h.Bins {
		if sum += b.Count; sum >= rank {
			return b.Nanoseconds
		}
	}
	return h.Bins[len(h.Bins)-1].Nanoseconds
}

// percentileRank is the smallest whole number that is not below p / 100 * n, computed with the 64-bit mantissa of fio's
// long double.
func percentileRank(p float64, n int64) int64 {
	x := new(big.Float).SetPrec(64).SetFloat64(p)
	x.Quo(x, big.NewFloat(100))
	x.Mul(x, new(big.Float).SetInt64(n))
	rank, accuracy := x.Int64()
	if accuracy == big.Below {
		rank++
	}
	return rank
}

// Coarsen returns the histogram at a lower resolution, as if fio had counted with that many bits: neighbouring bins are
// merged by the same rule for every histogram, so that coarsened ones still merge with each other. A histogram that is
// already as coarse is returned as it is.
func (h Histogram) Coarsen(toBits int) Histogram {
	if toBits >= h.Bits {
		return h
	}
	out := Histogram{Bits: toBits}
	for _, b := range h.Bins {
		value := binValue(binIndex(b.Nanoseconds, toBits), toBits)
		if last := len(out.Bins) - 1; last >= 0 && out.Bins[last].Nanoseconds == value {
			out.Bins[last].Count += b.Count
			continue
		}
		out.Bins = append(out.Bins, Bin{Nanoseconds: value, Count: b.Count})
	}
	return out
}

// MergeHistograms adds the counts of all histograms at the resolution of the coarsest. Empty ones change nothing.
func MergeHistograms(all ...Histogram) Histogram {
	merged := Histogram{Bits: MaxHistogramBits}
	for _, h := range all {
		if !h.IsZero() {
			merged.Bits = min(merged.Bits, h.Bits)
		}
	}
	counts := make([]int64, binLimit(merged.Bits))
	for _, h := range all {
		for _, b := range h.Bins {
			counts[binIndex(b.Nanoseconds, merged.Bits)] += b.Count
		}
	}
	for i, n := range counts {
		if n > 0 {
			merged.Bins = append(merged.Bins, Bin{Nanoseconds: binValue(i, merged.Bits), Count: n})
		}
	}
	return merged
}

// binIndex is plat_val_to_idx of fio's stat.c for a resolution: the number of the bin that a latency falls into.
func binIndex(nanoseconds int64, resolution int) int {
	top := bits.Len64(uint64(nanoseconds)) - 1
	if top <= resolution {
		return int(nanoseconds)
	}
	if top > maxValueBit {
		return binLimit(resolution) - 1
	}
	discarded := top - resolution
	return (discarded+1)<<resolution + int(nanoseconds>>discarded)&(1<<resolution-1)
}

// binValue is plat_idx_to_val of fio's stat.c for a resolution: the middle of a bin, in nanoseconds.
func binValue(index, resolution int) int64 {
	if index < 2<<resolution {
		return int64(index)
	}
	discarded := index>>resolution - 1
	within := int64(index & (1<<resolution - 1))
	return (1<<resolution+within)<<discarded + 1<<(discarded-1)
}

// binLimit is the number of bins of a resolution.
func binLimit(resolution int) int { return (maxValueBit + 2 - resolution) << resolution }

// check says what is wrong with a histogram that came from outside, or nil.
func (h Histogram) check() error {
	if h.Bits < 0 || h.Bits > MaxHistogramBits {
		return fmt.Errorf("resolution of %d bits is not within 0 to %d", h.Bits, MaxHistogramBits)
	}
	var total, previous int64 = 0, -1
	for _, b := range h.Bins {
		if b.Nanoseconds < 0 || binValue(binIndex(b.Nanoseconds, h.Bits), h.Bits) != b.Nanoseconds {
			return fmt.Errorf("%d ns is not a bin at %d bits", b.Nanoseconds, h.Bits)
		}
		if b.Nanoseconds <= previous {
			return fmt.Errorf("bin %d ns is out of order", b.Nanoseconds)
		}
		if b.Count <= 0 || b.Count > math.MaxInt64-total {
			return fmt.Errorf("bin %d ns has the impossible count %d", b.Nanoseconds, b.Count)
		}
		previous, total = b.Nanoseconds, total+b.Count
	}
	return nil
}

// NewHistogram makes a histogram of fio's bins, in any order. Bins that fio cannot have written are an error.
func NewHistogram(bins []Bin) (Histogram, error) {
	h := Histogram{Bits: MaxHistogramBits, Bins: slices.Clone(bins)}
	slices.SortFunc(h.Bins, func(a, b Bin) int { return cmp.Compare(a.Nanoseconds, b.Nanoseconds) })
	if err := h.check(); err != nil {
		return Histogram{}, fmt.Errorf("histogram: %w", err)
	}
	return h, nil
}
