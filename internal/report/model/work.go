// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/bottleneck"
	"zfsbench.io/operator/internal/result"
)

// Work is the device I/O of a workload, with all of its operations, on one variant and node, and what limited the
// workload. Numbers are medians over its samples.
type Work struct {
	Workload string `json:"workload"`
	Variant  string `json:"variant"`
	Node     string `json:"node"`
	// Pass counts from 1 if the workload has several passes; otherwise it is 0.
	Pass    int `json:"pass,omitempty"`
	Samples int `json:"samples"`
	// Seconds is the wall time of the measured part.
	Seconds float64 `json:"seconds"`
	// InodesCreated counts files and directories, in phases that create them.
	InodesCreated float64 `json:"inodesCreated,omitempty"`
	// DeviceReads and DeviceWrites are requests. The bytes are per byte that the workload read or wrote, 0 if it did
	// not.
	DeviceReads             float64 `json:"deviceReads"`
	DeviceWrites            float64 `json:"deviceWrites"`
	DeviceReadBytesPerByte  float64 `json:"deviceReadBytesPerByte"`
	DeviceWriteBytesPerByte float64 `json:"deviceWriteBytesPerByte"`
	// Limit is what limited most of the samples, with the evidence of the first one; Limited counts them.
	Limit   bottleneck.Limit `json:"limit"`
	Limited int              `json:"limited"`
}

// samplesOfOne are the samples of one workload, variant, node and pass.
type samplesOfOne struct {
	workload, variant, node string
	pass                    int
	samples                 []result.Sample
}

// samplesOf groups the samples from which measurements are made, in their order.
func samplesOf(in Input) []samplesOfOne {
	type key struct {
		workload, variant, node string
		pass                    int
	}
	var order []key
	groups := map[key][]result.Sample{}
	for _, node := range in.Nodes {
		for _, trial := range node.Searched() {
			for _, s := range trial.Samples {
				k := key{s.Workload, trial.Variant, node.Name, s.Pass}
				if groups[k] == nil {
					order = append(order, k)
				}
				groups[k] = append(groups[k], s)
			}
		}
	}
	places := map[string]int{}
	for _, node := range in.Nodes {
		for i, v := range node.Plan.Variants {
			places[v.Name] = i
		}
	}
	slices.SortStableFunc(order, func(a, b key) int {
		return cmp.Or(cmp.Compare(Position(in.Benchmark.Spec, a.workload), Position(in.Benchmark.Spec, b.workload)),
			cmp.Compare(places[a.variant], places[b.variant]), cmp.Compare(a.node, b.node), cmp.Compare(a.pass, b.pass))
	})
	all := make([]samplesOfOne, 0, len(order))
	for _, k := range order {
		all = append(all, samplesOfOne{k.workload, k.variant, k.node, k.pass, groups[k]})
	}
	return all
}

func workOf(groups []samplesOfOne) []Work {
	all := make([]Work, 0, len(groups))
	for _, g := range groups {
		w := reduceWork(g.samples)
		w.Workload, w.Variant, w.Node, w.Pass = g.workload, g.variant, g.node, g.pass
		all = append(all, w)
	}
	return all
}

func reduceWork(samples []result.Sample) Work {
	median := func(of func(result.Sample) float64) float64 { return medianOf(samples, of) }
	w := Work{
		Samples:       len(samples),
		Seconds:       median(func(s result.Sample) float64 { return float64(s.RuntimeNanoseconds) / 1e9 }),
		InodesCreated: median(func(s result.Sample) float64 { return float64(inodesCreated(s)) }),
		DeviceReads:   median(func(s result.Sample) float64 { return float64(s.DeviceReads) }),
		DeviceWrites:  median(func(s result.Sample) float64 { return float64(s.DeviceWrites) }),
		DeviceReadBytesPerByte: median(func(s result.Sample) float64 {
			return perByte(s, s.DeviceReadBytes, s.BytesRead())
		}),
		DeviceWriteBytesPerByte: median(func(s result.Sample) float64 {
			return perByte(s, s.DeviceWrittenBytes, s.BytesWritten())
		}),
	}
	w.Limit, w.Limited = mostLimiting(samples)
	return w
}

// perByte is the device I/O for each byte of a workload; 0 if something else used the devices too.
func perByte(s result.Sample, devices, bytes int64) float64 {
	if s.During != nil {
		return 0
	}
	return ratio(float64(devices), float64(bytes))
}

// creating are the phases that make inodes.
var creating = []string{string(v1alpha1.TreeCreate), string(v1alpha1.OperationCopy),
	string(v1alpha1.BonnieSequentialCreate), string(v1alpha1.BonnieRandomCreate)}

func inodesCreated(s result.Sample) int64 {
	var all int64
	for _, p := range s.Phases {
		if slices.Contains(creating, p.Name) && !p.SelfReported {
			all += p.IOs
		}
	}
	return all
}

// mostLimiting is the most frequent limit of the samples, and how often it occurs; the first one if several are equally
// frequent. It does not matter which of the limiting devices was the busiest.
func mostLimiting(samples []result.Sample) (most bottleneck.Limit, in int) {
	limits, counts := make([]bottleneck.Limit, 0, len(samples)), map[string]int{}
	same := func(l bottleneck.Limit) string {
		return strings.Join(append([]string{string(l.Factor)}, slices.Sorted(slices.Values(l.Devices))...), " ")
	}
	for _, s := range samples {
		l := bottleneck.Find(s)
		limits = append(limits, l)
		counts[same(l)]++
	}
	most = limits[0]
	for _, l := range limits {
		if counts[same(l)] > counts[same(most)] {
			most = l
		}
	}
	return most, counts[same(most)]
}
