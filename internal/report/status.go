// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"math"
	"slices"

	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/bottleneck"
	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/text/human"
)

// MaxStatusResults is how many results the status holds. All of them are in the documents.
const MaxStatusResults = 64

// With these limits, and names of maximum length, the status with its nodes and conditions takes less than 64 KiB.
const (
	maxStatusBytes     = 56 << 10
	statusBytesPerNode = 512
)

// summaryOf picks the headline. Bandwidth and IOPS are the best medians of all workloads, variants and nodes for an
// operation. The latency is the p99 of the measurement with the best IOPS, because a low latency alone says little. The
// columns are empty while several variants are measured: the best value would change with each new result.
func summaryOf(r *model.Report) (s v1alpha1.Summary) {
	if r.Varies() && !r.Finished {
		return s
	}
	s.ReadBandwidth, s.ReadIOPS, s.ReadLatencyP99 = headline(r.Results, v1alpha1.OperationRead)
	s.WriteBandwidth, s.WriteIOPS, s.WriteLatencyP99 = headline(r.Results, v1alpha1.OperationWrite)
	return s
}

func headline(all []model.Measurement, operation v1alpha1.Operation) (bandwidth, iops, p99 string) {
	var fastest, busiest *model.Measurement
	for i, m := range all {
		if m.Operation != operation && (m.Pass == 0 || m.Operation != v1alpha1.OperationOfPass(m.Pass, operation)) {
			continue
		}
		if fastest == nil || m.BandwidthBytesPerSecond > fastest.BandwidthBytesPerSecond {
			fastest = &all[i]
		}
		if busiest == nil || m.IOPS > busiest.IOPS {
			busiest = &all[i]
		}
	}
	if fastest == nil {
		return "", "", ""
	}
	if n := busiest.Latency.P99Nanoseconds; n > 0 {
		p99 = human.Latency(float64(n))
	}
	return human.Rate(fastest.BandwidthBytesPerSecond), human.Count(busiest.IOPS), p99
}

// statusResults returns as many of the best entries as fit, the same number for each metric, and how many are left out.
func statusResults(r *model.Report) (results []v1alpha1.ResultStatus, omitted int) {
	var all int
	sizes := make([]int, 0, len(r.Sections))
	for _, s := range r.Sections {
		sizes = append(sizes, s.Size())
		all += s.Size()
	}
	for limit := min(all, MaxStatusResults); ; limit-- {
		results = make([]v1alpha1.ResultStatus, 0, limit)
		for i, share := range model.Shares(sizes, limit) {
			for _, e := range slices.Concat(r.Sections[i].Best(share)...) {
				results = append(results, resultStatus(e, r.Finished))
			}
		}
		text, err := json.Marshal(results)
		if err == nil && len(text) <= maxStatusBytes-len(r.Nodes)*statusBytesPerNode || limit == 0 {
			return results, all - len(results)
		}
	}
}

// resultStatus rounds to whole numbers. Whether a winner is confirmed is known once the benchmark has finished.
func resultStatus(e model.Entry, finished bool) v1alpha1.ResultStatus {
	out := v1alpha1.ResultStatus{
		Workload: e.Workload, Variant: e.Variant, Node: e.Node, Operation: e.Operation,
		Repetitions:             int32(min(e.Repetitions, math.MaxInt32)),
		BandwidthBytesPerSecond: round(e.BandwidthBytesPerSecond),
		IOPS:                    round(e.IOPS),
		MeanLatencyNanoseconds:  round(e.Latency.MeanNanoseconds),
		P50LatencyNanoseconds:   e.Latency.P50Nanoseconds,
		P95LatencyNanoseconds:   e.Latency.P95Nanoseconds,
		P99LatencyNanoseconds:   e.Latency.P99Nanoseconds,
		P999LatencyNanoseconds:  e.Latency.P999Nanoseconds,
		Verdict:                 e.Verdict(),
	}
	if l := e.Work.Limit; l.Factor != bottleneck.Unknown {
		out.LimitingFactor = l.String()
	}
	if c := e.Comparison; c != nil && c.Ratio > 0 {
		out.Ratio, out.RatioInterval = model.Times(c.Ratio), c.Interval95.Text()
	}
	if c := e.Confirmation; c != nil && finished {
		out.Confirmed = ptr.To(c.Confirms())
	}
	return out
}

// round is the nearest whole number, limited to what an int64 holds.
func round(f float64) int64 {
	if f >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(math.Round(f))
}
