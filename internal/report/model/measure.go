// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/stats"
	"zfsbench.io/operator/internal/tools/script"
)

// Measurement is one operation (reading, writing or a phase) of one workload on one variant and node, over all
// repetitions. Numbers other than latencies are medians over repetitions. The reference variant may have two trials in
// a repetition; these count once, with their geometric mean. Latencies cover all I/O of all repetitions.
type Measurement struct {
	Workload    string             `json:"workload"`
	Variant     string             `json:"variant"`
	Node        string             `json:"node"`
	Operation   v1alpha1.Operation `json:"operation"`
	Repetitions int                `json:"repetitions"`
	// Pass counts from 1 if the workload has several passes; otherwise it is 0.
	Pass int `json:"pass,omitempty"`
	// Steady counts the trials in which the workload became steady; nil unless it is repeated until it is steady.
	Steady *Steady `json:"steady,omitempty"`
	// Phase says that the workload does several things, one after another or in several jobs at the same time, and this
	// is one of them. CPU and devices are only counted for the whole workload.
	Phase bool `json:"phase,omitempty"`
	// Meanwhile says that there was an operation on the pool while the workload ran: CPU and devices count for both.
	Meanwhile bool `json:"meanwhile,omitempty"`

	// BandwidthBytesPerSecond is 0 for an operation that moves no bytes.
	BandwidthBytesPerSecond float64 `json:"bandwidthBytesPerSecond"`
	// RateSpread is the distance of the fastest from the slowest repetition, as a fraction of the median; 0 for a single
	// one.
	RateSpread float64 `json:"rateSpread"`
	// IOPS counts directories, files and seeks as well; it is 0 where only bytes are counted.
	IOPS float64 `json:"iops"`
	// SyncSeconds is how long it took after a phase to write cached data to disk.
	SyncSeconds float64 `json:"syncSeconds,omitempty"`
	// Seconds is how long an operation on the pool or baseline took, or the time that a script has reported; 0 for other
	// workloads.
	Seconds float64 `json:"seconds,omitempty"`
	// Latency is total latency: submission and completion. Percentiles are 0 if a repetition has no histogram.
	Latency result.Latency `json:"latency"`
	// NodeCPUSecondsPerGiB is the time in which the node's CPUs were neither idle nor in iowait, including ZFS's kernel
	// threads, per GiB that the workload read and wrote.
	NodeCPUSecondsPerGiB float64 `json:"nodeCPUSecondsPerGiB"`
	// ToolCPUSecondsPerGiB is the tool's own share of it.
	ToolCPUSecondsPerGiB float64 `json:"toolCPUSecondsPerGiB"`
	// DeviceBytesPerByte is how many bytes the pool's devices read (or wrote) for each byte that the workload read (or
	// wrote); 0 for a phase, because it is unknown.
	DeviceBytesPerByte float64 `json:"deviceBytesPerByte"`
	// Statistics say how certain the rate is: the bandwidth, or the IOPS if the operation moves no bytes; nil if all
	// trials failed.
	Statistics *Statistics `json:"statistics,omitempty"`
}

// key orders measurements: workloads as in the spec, then variants as in the plan and nodes by name, reading before
// writing.
type key struct {
	workload     int
	name         string
	variantPlace int
	variant      string
	node         string
	// place is the operation's index in the workload.
	place     int
	operation v1alpha1.Operation
}

// observation is one operation of one sample.
type observation struct {
	sample    result.Sample
	operation *result.Operation
	// device is the number of bytes of device I/O for it; 0 for a phase.
	device     int64
	repetition int
	// isStorage says that the workload runs no tool: it is an operation on the pool or baseline.
	isStorage bool
}

// syncSeconds is how long writing to disk took after a phase; 0 for reading and writing.
func syncSeconds(s result.Sample, operation v1alpha1.Operation) float64 {
	p, _ := s.Phase(string(operation))
	return float64(p.SyncNanoseconds) / 1e9
}

// operationSeconds is how long an operation on a pool or baseline took, or the time that a script has reported. It is 0
// for a tool's work on files, whose duration means nothing.
func operationSeconds(o observation) float64 {
	during := o.sample.During != nil && o.operation == &o.sample.During.Operation
	if !during && !o.isStorage && !script.IsDuration(o.sample, o.operation) {
		return 0
	}
	return float64(o.operation.RuntimeNanoseconds) / 1e9
}

// deviceBytes is the device I/O for an operation; 0 if something else used the devices too.
func deviceBytes(s result.Sample, operation *result.Operation) int64 {
	if s.During != nil {
		return 0
	}
	switch operation {
	case s.Read:
		return s.DeviceReadBytes
	case s.Write:
		return s.DeviceWrittenBytes
	}
	return 0
}

// Searched are the trials without the confirming repetitions.
func (n NodeResults) Searched() []result.Trial {
	return n.experiment().Searched().Trials
}

// experiment is the part that the analysis packages read.
func (n NodeResults) experiment() experiment.NodeTrials {
	return experiment.NodeTrials{Plan: n.Plan, Trials: n.Trials}
}

// measure groups all samples and reduces every group, without the confirming repetitions. Samples of a trial that
// failed later count, because they are complete.
func measure(in Input) []Measurement {
	groups := map[key][]observation{}
	for _, node := range in.Nodes {
		variants := map[string]int{}
		for i, v := range node.Plan.Variants {
			variants[v.Name] = i
		}
		for _, trial := range node.Searched() {
			for _, s := range trial.Samples {
				k := key{workload: Position(in.Benchmark.Spec, s.Workload), name: s.Workload, variantPlace: variants[trial.Variant],
					variant: trial.Variant, node: node.Name}
				for _, o := range s.Operations() {
					k.operation = v1alpha1.Operation(o.Name)
					k.place = placeOf(in, k)
					groups[k] = append(groups[k], observation{s, o.Operation, deviceBytes(s, o.Operation), trial.Repetition,
						onStorage(in, k.workload)})
				}
			}
		}
	}
	keys := make([]key, 0, len(groups))
	for k := range groups {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.workload, b.workload), cmp.Compare(a.name, b.name),
			cmp.Compare(a.variantPlace, b.variantPlace),
			cmp.Compare(a.variant, b.variant), cmp.Compare(a.node, b.node), cmp.Compare(a.place, b.place),
			cmp.Compare(a.operation, b.operation))
	})
	out := make([]Measurement, 0, len(keys))
	for _, k := range keys {
		out = append(out, reduce(k, groups[k]))
	}
	return out
}

// Position is a workload's index in the spec; unknown workloads come last.
func Position(spec v1alpha1.ZfsBenchmarkSpec, workload string) int {
	i := slices.IndexFunc(spec.Workloads, func(w v1alpha1.Workload) bool { return w.Name == workload })
	if i < 0 {
		return len(spec.Workloads)
	}
	return i
}

// onStorage says whether the workload at a position is an operation on the pool or baseline.
func onStorage(in Input, position int) bool {
	return position < len(in.Benchmark.Spec.Workloads) && in.Benchmark.Spec.Workloads[position].Pool != nil
}

// placeOf is an operation's index in its workload; unknown operations come last.
func placeOf(in Input, k key) int {
	operations := []v1alpha1.Operation{}
	if k.workload < len(in.Benchmark.Spec.Workloads) {
		operations = in.Benchmark.Spec.Workloads[k.workload].Operations()
	}
	if i := slices.Index(operations, k.operation); i >= 0 {
		return i
	}
	return len(operations)
}

func reduce(k key, group []observation) Measurement {
	median := func(of func(observation) float64) float64 { return stats.Median(byRepetition(group, of)) }
	latencies := make([]result.Latency, 0, len(group))
	for _, o := range group {
		latencies = append(latencies, o.operation.Latency)
	}
	rates := byRepetition(group, func(o observation) float64 { return o.operation.Rate() })
	return Measurement{
		Phase: group[0].sample.IsPart(string(k.operation)), Meanwhile: group[0].sample.During != nil,
		Pass: group[0].sample.Pass, Steady: steadyOf(group),
		Workload: k.name, Variant: k.variant, Node: k.node, Operation: k.operation, Repetitions: len(rates),
		BandwidthBytesPerSecond: median(func(o observation) float64 { return o.operation.BandwidthBytesPerSecond }),
		RateSpread:              stats.Spread(rates),
		SyncSeconds:             median(func(o observation) float64 { return syncSeconds(o.sample, k.operation) }),
		Seconds:                 median(operationSeconds),
		IOPS:                    median(func(o observation) float64 { return o.operation.IOPS }),
		Latency:                 stats.MergeLatencies(latencies),
		NodeCPUSecondsPerGiB:    median(func(o observation) float64 { return perGiB(o.sample.NodeCPUSeconds, o.sample) }),
		ToolCPUSecondsPerGiB:    median(func(o observation) float64 { return perGiB(o.sample.ToolCPUSeconds, o.sample) }),
		DeviceBytesPerByte: median(func(o observation) float64 {
			return ratio(float64(o.device), float64(o.operation.Bytes))
		}),
	}
}

// byRepetition returns one value for each repetition. The value of a single trial stays exact.
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

// perGiB divides by everything that the workload read and wrote.
func perGiB(seconds float64, s result.Sample) float64 {
	return ratio(seconds, float64(s.BytesMoved())/(1<<30))
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
