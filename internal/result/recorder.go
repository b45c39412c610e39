// SPDX-License-Identifier: Apache-2.0

package result

import "math"

// Recorder counts latencies one by one, in fio's bins. The zero value is ready.
type Recorder struct {
	counts          []int64
	count, min, max int64
	sum, squares    float64
}

// Record counts a latency in nanoseconds; a negative one counts as 0.
func (r *Recorder) Record(nanoseconds int64) {
	if r.counts == nil {
		r.counts = make([]int64, binLimit(MaxHistogramBits))
	}
	n := max(0, nanoseconds)
	r.counts[binIndex(n, MaxHistogramBits)]++
	if r.count == 0 || n < r.min {
		r.min = n
	}
	r.max = max(r.max, n)
	r.count++
	r.sum += float64(n)
	r.squares += float64(n) * float64(n)
}

// Add counts all that another has counted.
func (r *Recorder) Add(other *Recorder) {
	if other.count == 0 {
		return
	}
	if r.counts == nil {
		r.counts = make([]int64, binLimit(MaxHistogramBits))
	}
	for i, n := range other.counts {
		r.counts[i] += n
	}
	if r.count == 0 || other.min < r.min {
		r.min = other.min
	}
	r.max = max(r.max, other.max)
	r.count += other.count
	r.sum += other.sum
	r.squares += other.squares
}

// Latency is the distribution; zero if nothing was counted.
func (r *Recorder) Latency() Latency {
	if r.count == 0 {
		return Latency{}
	}
	h := Histogram{Bits: MaxHistogramBits}
	for i, n := range r.counts {
		if n > 0 {
			h.Bins = append(h.Bins, Bin{Nanoseconds: binValue(i, MaxHistogramBits), Count: n})
		}
	}
	mean := r.sum / float64(r.count)
	return Latency{
		Count: r.count, MinNanoseconds: r.min, MaxNanoseconds: r.max, MeanNanoseconds: mean,
		StddevNanoseconds: math.Sqrt(max(0, r.squares/float64(r.count)-mean*mean)),
		P50Nanoseconds:    h.Percentile(50), P95Nanoseconds: h.Percentile(95), P99Nanoseconds: h.Percentile(99),
		P999Nanoseconds: h.Percentile(99.9),
		Histogram:       h,
	}
}
