// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/experiment"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/stats"
)

// Measurement is what the repetitions of one workload on one variant and node say of one direction. Numbers other than latencies are medians over
// repetitions; a repetition with two trials, as the reference variant may have, counts once, with the geometric mean of the two. Latencies are those of
// all I/O of all repetitions together.
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
	// Statistics say how sure the bandwidth is; nil if all trials failed.
	Statistics *Statistics `json:"statistics,omitempty"`
}

// key orders measurements: workloads as in the spec, then variants as in the plan and nodes by name, reading before writing.
type key struct {
	workload     int
	name         string
	variantPlace int
	variant      string
	node         string
	direction    v1alpha1.Direction
}

// observation is one sample in one direction.
type observation struct {
	sample     result.Sample
	direction  *result.Direction
	device     int64
	repetition int
}

// searched are the trials but those of the repetitions that confirm.
func (n Node) searched() []result.Trial {
	return experiment.Node{Plan: n.Plan, Trials: n.Trials}.Searched().Trials
}

// measure groups all samples and reduces every group, without the repetitions that confirm. Samples of a trial that failed later on count: they were complete when they were taken.
func measure(in Input) []Measurement {
	groups := map[key][]observation{}
	for _, node := range in.Nodes {
		variants := map[string]int{}
		for i, v := range node.Plan.Variants {
			variants[v.Name] = i
		}
		for _, trial := range node.searched() {
			for _, s := range trial.Samples {
				k := key{workload: position(in, s.Workload), name: s.Workload, variantPlace: variants[trial.Variant], variant: trial.Variant, node: node.Name}
				if s.Read != nil {
					k.direction = v1alpha1.DirectionRead
					groups[k] = append(groups[k], observation{s, s.Read, s.DeviceReadBytes, trial.Repetition})
				}
				if s.Write != nil {
					k.direction = v1alpha1.DirectionWrite
					groups[k] = append(groups[k], observation{s, s.Write, s.DeviceWrittenBytes, trial.Repetition})
				}
			}
		}
	}
	keys := make([]key, 0, len(groups))
	for k := range groups {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.workload, b.workload), cmp.Compare(a.name, b.name), cmp.Compare(a.variantPlace, b.variantPlace),
			cmp.Compare(a.variant, b.variant), cmp.Compare(a.node, b.node), cmp.Compare(a.direction, b.direction))
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
	median := func(of func(observation) float64) float64 { return stats.Median(byRepetition(group, of)) }
	latencies := make([]result.Latency, 0, len(group))
	for _, o := range group {
		latencies = append(latencies, o.direction.Latency)
	}
	bandwidths := byRepetition(group, func(o observation) float64 { return o.direction.BandwidthBytesPerSecond })
	return Measurement{
		Workload: k.name, Variant: k.variant, Node: k.node, Direction: k.direction, Repetitions: len(bandwidths),
		BandwidthBytesPerSecond: stats.Median(bandwidths),
		BandwidthSpread:         stats.Spread(bandwidths),
		IOPS:                    median(func(o observation) float64 { return o.direction.IOPS }),
		Latency:                 stats.MergeLatencies(latencies),
		NodeCPUSecondsPerGiB:    median(func(o observation) float64 { return perGiB(o.sample.NodeCPUSeconds, o.sample) }),
		ToolCPUSecondsPerGiB:    median(func(o observation) float64 { return perGiB(o.sample.ToolCPUSeconds, o.sample) }),
		DeviceBytesPerByte:      median(func(o observation) float64 { return ratio(float64(o.device), float64(o.direction.Bytes)) }),
	}
}

// byRepetition is one value for each repetition. That of a single trial stays exactly what it is.
func byRepetition(group []observation, of func(observation) float64) []float64 {
	values := map[int][]float64{}
	for _, o := range group {
		values[o.repetition] = append(values[o.repetition], of(o))
	}
	out := make([]float64, 0, len(values))
	for _, repetition := range slices.Sorted(maps.Keys(values)) {
		out = append(out, together(values[repetition]))
	}
	return out
}

// together is the geometric mean of the values of one repetition.
func together(values []float64) float64 {
	if len(values) == 1 {
		return values[0]
	}
	var logarithms float64
	for _, v := range values {
		logarithms += math.Log(v)
	}
	return math.Exp(logarithms / float64(len(values)))
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
