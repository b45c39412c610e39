// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"math"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/stats"
)

// Measurement is what the repetitions of one workload on one variant and node say of one direction. Numbers other than latencies are medians over
// repetitions; latencies are those of all I/O of all repetitions together.
type Measurement struct {
	Workload    string             `json:"workload"`
	Variant     string             `json:"variant"`
	Node        string             `json:"node"`
	Direction   v1alpha1.Direction `json:"direction"`
	Repetitions int                `json:"repetitions"`

	BandwidthBytesPerSecond float64 `json:"bandwidthBytesPerSecond"`
	// BandwidthSpread is the distance of the fastest from the slowest repetition, as a fraction of the median; 0 for a single one.
	BandwidthSpread float64 `json:"bandwidthSpread"`
	IOPS            float64 `json:"iops"`
	// Latency is total latency: submission and completion. Its percentiles are 0 where a repetition came without histogram.
	Latency result.Latency `json:"latency"`
	// NodeCPUSecondsPerGiB is the time the node's CPUs were neither idle nor in iowait, ZFS's kernel threads included, per GiB that the workload read
	// and wrote.
	NodeCPUSecondsPerGiB float64 `json:"nodeCPUSecondsPerGiB"`
	// ToolCPUSecondsPerGiB is the tool's own share of it.
	ToolCPUSecondsPerGiB float64 `json:"toolCPUSecondsPerGiB"`
	// DeviceBytesPerByte is how many bytes reached the pool's devices, in this direction, for each byte that the workload moved.
	DeviceBytesPerByte float64 `json:"deviceBytesPerByte"`
}

// key orders measurements: workloads as in the spec, then variants and nodes by name, reading before writing.
type key struct {
	workload  int
	name      string
	variant   string
	node      string
	direction v1alpha1.Direction
}

// observation is one sample in one direction.
type observation struct {
	sample    result.Sample
	direction *result.Direction
	device    int64
}

// measure groups all samples and reduces every group. Samples of a trial that failed later on count: they were complete when they were taken.
func measure(in Input) []Measurement {
	groups := map[key][]observation{}
	for _, node := range in.Nodes {
		for _, trial := range node.Trials {
			for _, s := range trial.Samples {
				k := key{workload: position(in, s.Workload), name: s.Workload, variant: trial.Variant, node: node.Name}
				if s.Read != nil {
					k.direction = v1alpha1.DirectionRead
					groups[k] = append(groups[k], observation{s, s.Read, s.DeviceReadBytes})
				}
				if s.Write != nil {
					k.direction = v1alpha1.DirectionWrite
					groups[k] = append(groups[k], observation{s, s.Write, s.DeviceWrittenBytes})
				}
			}
		}
	}
	keys := make([]key, 0, len(groups))
	for k := range groups {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.workload, b.workload), cmp.Compare(a.name, b.name), cmp.Compare(a.variant, b.variant),
			cmp.Compare(a.node, b.node), cmp.Compare(a.direction, b.direction))
	})
	out := make([]Measurement, 0, len(keys))
	for _, k := range keys {
		out = append(out, reduce(k, groups[k]))
	}
	return out
}

// position is a workload's place in the spec; unknown ones come last.
func position(in Input, workload string) int {
	i := slices.IndexFunc(in.Benchmark.Spec.Workloads, func(w v1alpha1.Workload) bool { return w.Name == workload })
	if i < 0 {
		return len(in.Benchmark.Spec.Workloads)
	}
	return i
}

func reduce(k key, group []observation) Measurement {
	median := func(of func(observation) float64) float64 {
		values := make([]float64, 0, len(group))
		for _, o := range group {
			values = append(values, of(o))
		}
		return stats.Median(values)
	}
	bandwidths := make([]float64, 0, len(group))
	latencies := make([]result.Latency, 0, len(group))
	for _, o := range group {
		bandwidths = append(bandwidths, o.direction.BandwidthBytesPerSecond)
		latencies = append(latencies, o.direction.Latency)
	}
	return Measurement{
		Workload: k.name, Variant: k.variant, Node: k.node, Direction: k.direction, Repetitions: len(group),
		BandwidthBytesPerSecond: stats.Median(bandwidths),
		BandwidthSpread:         stats.Spread(bandwidths),
		IOPS:                    median(func(o observation) float64 { return o.direction.IOPS }),
		Latency:                 stats.MergeLatencies(latencies),
		NodeCPUSecondsPerGiB:    median(func(o observation) float64 { return perGiB(o.sample.NodeCPUSeconds, o.sample) }),
		ToolCPUSecondsPerGiB:    median(func(o observation) float64 { return perGiB(o.sample.ToolCPUSeconds, o.sample) }),
		DeviceBytesPerByte:      median(func(o observation) float64 { return ratio(float64(o.device), float64(o.direction.Bytes)) }),
	}
}

// perGiB divides by what the workload moved in both directions.
func perGiB(seconds float64, s result.Sample) float64 {
	var bytes float64
	for _, d := range []*result.Direction{s.Read, s.Write} {
		if d != nil {
			bytes += float64(d.Bytes)
		}
	}
	return ratio(seconds, bytes/(1<<30))
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// summarize picks the headline. Bandwidth and IOPS are the best medians of all workloads, variants and nodes in a direction; the latency beside them
// is the p99 of the measurement with the best IOPS, because a low latency alone says little.
func summarize(all []Measurement) v1alpha1.Summary {
	var s v1alpha1.Summary
	s.ReadBandwidth, s.ReadIOPS, s.ReadLatencyP99 = headline(all, v1alpha1.DirectionRead)
	s.WriteBandwidth, s.WriteIOPS, s.WriteLatencyP99 = headline(all, v1alpha1.DirectionWrite)
	return s
}

func headline(all []Measurement, direction v1alpha1.Direction) (bandwidth, iops, p99 string) {
	var fastest, busiest *Measurement
	for i, m := range all {
		if m.Direction != direction {
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
		p99 = Latency(float64(n))
	}
	return Rate(fastest.BandwidthBytesPerSecond), Count(busiest.IOPS), p99
}

// statusResults rounds to whole numbers.
func statusResults(all []Measurement) []v1alpha1.ResultStatus {
	out := make([]v1alpha1.ResultStatus, 0, min(len(all), MaxStatusResults))
	for _, m := range all[:min(len(all), MaxStatusResults)] {
		out = append(out, v1alpha1.ResultStatus{
			Workload: m.Workload, Variant: m.Variant, Node: m.Node, Direction: m.Direction, Repetitions: int32(min(m.Repetitions, math.MaxInt32)),
			BandwidthBytesPerSecond: round(m.BandwidthBytesPerSecond),
			IOPS:                    round(m.IOPS),
			MeanLatencyNanoseconds:  round(m.Latency.MeanNanoseconds),
			P50LatencyNanoseconds:   m.Latency.P50Nanoseconds,
			P95LatencyNanoseconds:   m.Latency.P95Nanoseconds,
			P99LatencyNanoseconds:   m.Latency.P99Nanoseconds,
			P999LatencyNanoseconds:  m.Latency.P999Nanoseconds,
		})
	}
	return out
}

// round is the nearest whole number that an int64 holds; the largest for what is beyond.
func round(f float64) int64 {
	if f >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(math.Round(f))
}
