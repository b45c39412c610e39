// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"math"
	"slices"

	"zfsbench.io/operator/internal/result"
)

// Median is the middle value, or the mean of the two in the middle. It is 0 for no values.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return sorted[middle-1] + (sorted[middle]-sorted[middle-1])/2
}

// Spread is the distance of the largest from the smallest value, as a fraction of the median. It is 0 for fewer than
// two values or a median of 0.
func Spread(values []float64) float64 {
	median := Median(values)
	if len(values) < 2 || median == 0 {
		return 0
	}
	return (slices.Max(values) - slices.Min(values)) / median
}

// MergeLatencies is the distribution of all I/O of all repetitions together: counts add up, mean and standard deviation
// are computed for the union, and percentiles come from the merged histogram, never from percentiles. Where a
// repetition came without its histogram, the percentiles of the union are unknown: they are 0, and the histogram is
// empty.
func MergeLatencies(all []result.Latency) result.Latency {
	var merged result.Latency
	var squares float64
	histograms := make([]result.Histogram, 0, len(all))
	for _, l := range all {
		if l.Count == 0 {
			continue
		}
		n, m := float64(merged.Count), float64(l.Count)
		distance := l.MeanNanoseconds - merged.MeanNanoseconds
		squares += l.StddevNanoseconds*l.StddevNanoseconds*(m-1) + distance*distance*n*m/(n+m)
		merged.MeanNanoseconds += distance * m / (n + m)
		if merged.Count == 0 || l.MinNanoseconds < merged.MinNanoseconds {
			merged.MinNanoseconds = l.MinNanoseconds
		}
		merged.MaxNanoseconds = max(merged.MaxNanoseconds, l.MaxNanoseconds)
		merged.Count += l.Count
		histograms = append(histograms, l.Histogram)
	}
	if merged.Count > 1 {
		merged.StddevNanoseconds = math.Sqrt(squares / float64(merged.Count-1))
	}
	h := result.MergeHistograms(histograms...)
	if h.IsZero() || h.Count() != merged.Count {
		return merged
	}
	merged.Histogram = h
	merged.P50Nanoseconds, merged.P95Nanoseconds = h.Percentile(50), h.Percentile(95)
	merged.P99Nanoseconds, merged.P999Nanoseconds = h.Percentile(99), h.Percentile(99.9)
	return merged
}
