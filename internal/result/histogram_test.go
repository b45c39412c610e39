// SPDX-License-Identifier: Apache-2.0

package result

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// counted is the histogram of values at a resolution, counted one by one.
func counted(values []int64, resolution int) Histogram {
	counts := make([]int64, binLimit(resolution))
	for _, v := range values {
		counts[binIndex(v, resolution)]++
	}
	h := Histogram{Bits: resolution}
	for i, n := range counts {
		if n > 0 {
			h.Bins = append(h.Bins, Bin{Nanoseconds: binValue(i, resolution), Count: n})
		}
	}
	return h
}

// latencies are spread over the whole range that bins tell apart, and beyond.
func latencies(seed uint64, n int) []int64 {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]int64, n)
	for i := range out {
		out[i] = r.Int64N(1 << (1 + r.IntN(40)))
	}
	return out
}

// TestBins holds values that plat_val_to_idx and plat_idx_to_val of fio's stat.c give.
func TestBins(t *testing.T) {
	tests := map[int64]struct {
		index int
		value int64
	}{
		0: {0, 0}, 1: {1, 1}, 127: {127, 127}, 128: {128, 129}, 129: {128, 129}, 130: {129, 131}, 255: {191, 255},
		256: {192, 258}, 1000: {317, 1004},
		798720: {929, 798720}, 1 << 33: {1792, 8657043456}, 1<<34 - 1: {1855, 17112760320}, 1 << 34: {1855, 17112760320},
		math.MaxInt64: {1855, 17112760320},
	}
	for value, want := range tests {
		if got := binIndex(value, MaxHistogramBits); got != want.index {
			t.Errorf("index of %d: got %d, want %d", value, got, want.index)
		}
		if got := binValue(want.index, MaxHistogramBits); got != want.value {
			t.Errorf("value of bin %d: got %d, want %d", want.index, got, want.value)
		}
	}
}

func TestBinsInvert(t *testing.T) {
	for resolution := range MaxHistogramBits + 1 {
		previous := int64(-1)
		for index := range binLimit(resolution) {
			value := binValue(index, resolution)
			if value <= previous || binIndex(value, resolution) != index {
				t.Fatalf("%d bits: bin %d has value %d, which is in bin %d", resolution, index, value, binIndex(value, resolution))
			}
			previous = value
		}
	}
}

// TestPercentileRank holds ranks that fio's condition gives in C, with 80-bit long doubles.
func TestPercentileRank(t *testing.T) {
	tests := map[struct {
		p float64
		n int64
	}]int64{
		{50, 1}: 1, {50, 2}: 1, {50, 3}: 2, {95, 20}: 19, {95, 40}: 38, {95, 1000}: 950, {99, 100}: 99, {99, 200}: 198,
		{99.9, 10}: 10, {99.9, 100}: 100,
		{99.9, 999}: 999, {99.9, 1000}: 1000, {99.9, 1001}: 1000, {99.9, 2000}: 1999,
	}
	for in, want := range tests {
		if got := percentileRank(in.p, in.n); got != want {
			t.Errorf("%v%% of %d: got %d, want %d", in.p, in.n, got, want)
		}
	}
}

func TestPercentile(t *testing.T) {
	h := Histogram{Bits: 6, Bins: []Bin{{Nanoseconds: 10, Count: 50}, {Nanoseconds: 20, Count: 45},
		{Nanoseconds: 30, Count: 5}}}
	tests := map[float64]int64{1: 10, 50: 10, 50.5: 20, 95: 20, 95.1: 30, 99.9: 30, 100: 30}
	for p, want := range tests {
		if got := h.Percentile(p); got != want {
			t.Errorf("%v%%: got %d, want %d", p, got, want)
		}
	}
	if got := (Histogram{}).Percentile(50); got != 0 {
		t.Errorf("empty: got %d, want 0", got)
	}
}

// TestCoarsen proves that coarsening, in one step or in many, is the same as having counted coarsely.
func TestCoarsen(t *testing.T) {
	values := latencies(1, 5000)
	fine := counted(values, MaxHistogramBits)
	step := fine
	for resolution := MaxHistogramBits; resolution >= 0; resolution-- {
		want := counted(values, resolution)
		step = step.Coarsen(resolution)
		if diff := cmp.Diff(want, step); diff != "" {
			t.Fatalf("%d bits, step by step (-want +got):\n%s", resolution, diff)
		}
		if diff := cmp.Diff(want, fine.Coarsen(resolution)); diff != "" {
			t.Fatalf("%d bits, at once (-want +got):\n%s", resolution, diff)
		}
		if got := want.Coarsen(MaxHistogramBits); cmp.Diff(want, got) != "" {
			t.Fatalf("%d bits: refined to %d bits", resolution, got.Bits)
		}
	}
}

// TestMergeHistograms proves that histograms of any resolution merge as if all latencies had been counted at the
// coarsest.
func TestMergeHistograms(t *testing.T) {
	a, b := latencies(2, 3000), latencies(3, 3000)
	for resolution := range MaxHistogramBits + 1 {
		want := counted(append(append([]int64{}, a...), b...), resolution)
		got := MergeHistograms(counted(a, MaxHistogramBits), Histogram{}, counted(b, resolution))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%d bits (-want +got):\n%s", resolution, diff)
		}
	}
	if got := MergeHistograms(); !got.IsZero() {
		t.Errorf("nothing merges to %v", got)
	}
}

func TestNewHistogram(t *testing.T) {
	got, err := NewHistogram([]Bin{{Nanoseconds: 131, Count: 2}, {Nanoseconds: 3, Count: 1}})
	if err != nil {
		t.Fatal(err)
	}
	want := Histogram{Bits: 6, Bins: []Bin{{Nanoseconds: 3, Count: 1}, {Nanoseconds: 131, Count: 2}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, bins := range map[string][]Bin{
		"not a bin": {{Nanoseconds: 128, Count: 1}},
		"negative":  {{Nanoseconds: -1, Count: 1}},
		"twice":     {{Nanoseconds: 3, Count: 1}, {Nanoseconds: 3, Count: 1}},
		"no count":  {{Nanoseconds: 3}},
		"overflow":  {{Nanoseconds: 3, Count: math.MaxInt64}, {Nanoseconds: 4, Count: 1}},
	} {
		if _, err := NewHistogram(bins); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestHistogramJSON(t *testing.T) {
	h := Histogram{Bits: 6, Bins: []Bin{{Nanoseconds: 3, Count: 1}, {Nanoseconds: 129, Count: 2},
		{Nanoseconds: 131, Count: 9}}}
	data, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(data), `{"bits":6,"index":[3,125,1],"counts":[1,2,9]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var back Histogram
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(h, back); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHistogramJSONRefuses(t *testing.T) {
	tests := map[string]string{
		"bits":          `{"bits":7,"index":[1],"counts":[1]}`,
		"negative bits": `{"bits":-1,"index":[1],"counts":[1]}`,
		"lengths":       `{"bits":6,"index":[1],"counts":[]}`,
		"step back":     `{"bits":6,"index":[5,-1],"counts":[1,1]}`,
		"no step":       `{"bits":6,"index":[5,0],"counts":[1,1]}`,
		"out of range":  `{"bits":6,"index":[1856],"counts":[1]}`,
		"overflow":      `{"bits":6,"index":[1,9223372036854775807],"counts":[1,1]}`,
		"no count":      `{"bits":6,"index":[1],"counts":[0]}`,
		"negative":      `{"bits":6,"index":[1],"counts":[-1]}`,
		"sum":           `{"bits":6,"index":[1,1],"counts":[9223372036854775807,1]}`,
		"fraction":      `{"bits":6,"index":[1.5],"counts":[1]}`,
		"no object":     `[]`,
	}
	for name, in := range tests {
		var h Histogram
		if err := json.Unmarshal([]byte(in), &h); err == nil {
			t.Errorf("%s: read as %v", name, h)
		}
	}
}

func FuzzHistogramJSON(f *testing.F) {
	f.Add([]byte(`{"bits":6,"index":[3,125,1],"counts":[1,2,9]}`))
	f.Add([]byte(`{"bits":0,"index":[34],"counts":[9223372036854775807]}`))
	f.Add([]byte(`{"bits":6,"index":[],"counts":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var h Histogram
		if json.Unmarshal(data, &h) != nil {
			return
		}
		again, err := json.Marshal(h)
		if err != nil {
			t.Fatalf("read but not written: %v", err)
		}
		var back Histogram
		if err := json.Unmarshal(again, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(h, back); diff != "" {
			t.Fatalf("(-first +second):\n%s", diff)
		}
		for resolution := h.Bits; resolution >= 0; resolution-- {
			c := h.Coarsen(resolution)
			if err := c.check(); err != nil {
				t.Fatalf("%d bits: %v", resolution, err)
			}
			if c.Count() != h.Count() || !h.IsZero() &&
				binIndex(h.Percentile(99), resolution) != binIndex(c.Percentile(99), resolution) {
				t.Fatalf("%d bits: lost something", resolution)
			}
		}
	})
}
