// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

func TestQuantityOf(t *testing.T) {
	d := result.Operation{BandwidthBytesPerSecond: 1, IOPS: 2, Latency: result.Latency{
		MeanNanoseconds: 3, P50Nanoseconds: 4, P95Nanoseconds: 5, P99Nanoseconds: 6, P999Nanoseconds: 7,
	}}
	for i, q := range []Quantity{Bandwidth, IOPS, LatencyMean, LatencyP50, LatencyP95, LatencyP99, LatencyP999} {
		if got := q.Of(d); got != float64(i+1) {
			t.Errorf("%s is %v, want %d", q, got, i+1)
		}
	}
}

// A percentile that is not known leaves its repetition out of that quantity only; what was measured twice in a
// repetition counts once.
func TestSampleOfAQuantity(t *testing.T) {
	p := planOf(2, 3, nil)
	trials := measured(p, len(p.Trials), func(plan.Trial) float64 { return 1e8 })
	for i := range trials {
		trials[i].Samples[0].Write.Latency.P99Nanoseconds = int64(1000 * (trials[i].Index + 1))
	}
	trials[4].Samples[0].Write.Latency.P99Nanoseconds = 0
	n, metric := NodeTrials{Plan: p, Trials: trials}, Metric{"w", v1alpha1.OperationWrite}
	want := []float64{2000, 8000} // of the trials 1 and 7; trial 4 has none
	if diff := cmp.Diff(want, n.Sample(metric, LatencyP99, p.Variants[1]).Values); diff != "" {
		t.Errorf("p99 of b (-want +got):\n%s", diff)
	}
	if got := n.Sample(metric, Bandwidth, p.Variants[1]).Values; len(got) != 3 {
		t.Errorf("bandwidths of b: %v, want 3", got)
	}
	if got, want := n.Sample(metric, LatencyP99, p.Variants[0]).Values[0],
		math.Sqrt(1000*3000); math.Abs(got-want) > 1e-6 {
		t.Errorf("p99 of the reference in the first repetition is %v, want %v", got, want)
	}
	c, err := n.CompareWithReference(metric, LatencyP99, p.Variants[1])
	if err != nil || c.N != 2 {
		t.Errorf("compared in %d repetitions, want 2: %v", c.N, err)
	}
}
