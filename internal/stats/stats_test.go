// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"zfsbench.io/operator/internal/result"
)

func TestMedian(t *testing.T) {
	tests := map[string]struct {
		values []float64
		want   float64
	}{
		"none":       {nil, 0},
		"one":        {[]float64{3}, 3},
		"odd":        {[]float64{9, 1, 5}, 5},
		"even":       {[]float64{4, 1, 3, 2}, 2.5},
		"very large": {[]float64{math.MaxFloat64, math.MaxFloat64}, math.MaxFloat64},
	}
	for name, tt := range tests {
		before := slices.Clone(tt.values)
		if got := Median(tt.values); got != tt.want {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
		if diff := cmp.Diff(before, tt.values); diff != "" {
			t.Errorf("%s: the caller's values changed:\n%s", name, diff)
		}
	}
}

func TestSpread(t *testing.T) {
	tests := map[string]struct {
		values []float64
		want   float64
	}{
		"none": {nil, 0}, "one": {[]float64{3}, 0}, "zeros": {[]float64{0, 0}, 0}, "three": {[]float64{100, 110, 90}, 0.2},
	}
	for name, tt := range tests {
		if got := Spread(tt.values); got != tt.want {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
}

// latencyOf counts values below 128 ns, which fio tells apart exactly.
func latencyOf(t *testing.T, values ...int64) result.Latency {
	t.Helper()
	l := result.Latency{Count: int64(len(values)), MinNanoseconds: slices.Min(values), MaxNanoseconds: slices.Max(values)}
	counts := map[int64]int64{}
	for _, v := range values {
		l.MeanNanoseconds += float64(v) / float64(len(values))
		counts[v]++
	}
	var bins []result.Bin
	for v, n := range counts {
		bins = append(bins, result.Bin{Nanoseconds: v, Count: n})
	}
	for _, v := range values {
		d := float64(v) - l.MeanNanoseconds
		if len(values) > 1 {
			l.StddevNanoseconds += d * d / float64(len(values)-1)
		}
	}
	l.StddevNanoseconds = math.Sqrt(l.StddevNanoseconds)
	h, err := result.NewHistogram(bins)
	if err != nil {
		t.Fatal(err)
	}
	l.Histogram = h
	l.P50Nanoseconds, l.P95Nanoseconds, l.P99Nanoseconds, l.P999Nanoseconds = h.Percentile(50), h.Percentile(95),
		h.Percentile(99), h.Percentile(99.9)
	return l
}

// TestMergeLatencies compares with the distribution of the union. The median of the medians would be 5 here, not 10.
func TestMergeLatencies(t *testing.T) {
	want := latencyOf(t, 1, 2, 5, 5, 10, 10, 10, 10, 100, 120, 7)
	got := MergeLatencies([]result.Latency{latencyOf(t, 5, 1, 2, 5), {}, latencyOf(t, 10, 10, 10, 10, 100, 120),
		latencyOf(t, 7)})
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if want.P50Nanoseconds != 10 {
		t.Errorf("median %d, want 10", want.P50Nanoseconds)
	}
}

func TestMergeLatenciesWithoutHistogram(t *testing.T) {
	without := latencyOf(t, 3, 4)
	without.Histogram = result.Histogram{}
	got := MergeLatencies([]result.Latency{latencyOf(t, 1, 2), without})
	if got.Count != 4 || got.MeanNanoseconds != 2.5 || got.P50Nanoseconds != 0 || !got.Histogram.IsZero() {
		t.Errorf("got %+v", got)
	}
	if diff := cmp.Diff(result.Latency{}, MergeLatencies(nil)); diff != "" {
		t.Errorf("nothing (-want +got):\n%s", diff)
	}
}
