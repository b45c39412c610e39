// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/bottleneck"
	"zfsbench.io/operator/internal/result"
)

// busyDisk is what monitors see of disks at their limit, and busyCPUs of CPUs.
func busyDisk(names ...string) *result.Monitors {
	m := &result.Monitors{Seconds: 10, Observations: 11}
	for _, name := range names {
		m.Devices = append(m.Devices, result.DeviceUse{Device: name, Utilization: result.Level{Mean: 0.97, Max: 1},
			Queue: 4, WrittenBytesPerSecond: 8 << 20})
	}
	return m
}

func busyCPUs() *result.Monitors {
	return &result.Monitors{CPU: &result.CPUUse{Busy: result.Level{Mean: 0.9, Max: 1},
		BusiestCore: result.Level{Mean: 1, Max: 1}}}
}

func TestMostLimiting(t *testing.T) {
	tests := map[string]struct {
		seen []*result.Monitors
		want string
		in   int
	}{
		"one that was not observed": {[]*result.Monitors{nil}, "unknown", 1},
		"most":                      {[]*result.Monitors{busyDisk("d0"), busyCPUs(), busyCPUs()}, "cpu", 2},
		"as many":                   {[]*result.Monitors{busyDisk("d0"), busyCPUs()}, "device d0", 1},
		"different disks":           {[]*result.Monitors{busyDisk("d0"), busyDisk("d1"), busyDisk("d1")}, "device d1", 2},
		"whichever was busier": {[]*result.Monitors{busyCPUs(), busyDisk("d0", "d1"), busyDisk("d1", "d0")},
			"device d0 and 1 more", 2},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var samples []result.Sample
			for _, m := range test.seen {
				samples = append(samples, result.Sample{Monitors: m})
			}
			got, in := mostLimiting(samples)
			if got.String() != test.want || in != test.in {
				t.Errorf("%s in %d, want %s in %d", got, in, test.want, test.in)
			}
		})
	}
}

// workInput has two workloads: one that creates files, one that writes.
func workInput(variants int) Input {
	spec := v1alpha1.ZfsBenchmarkSpec{Workloads: []v1alpha1.Workload{{Name: "files"}, {Name: "write"}}}
	in := Input{Benchmark: v1alpha1.ZfsBenchmark{Spec: spec}, Nodes: []NodeResults{{Name: "storage-0"}}}
	for v := range variants {
		for repetition := range 3 {
			grows := int64(repetition + 1)
			in.Nodes[0].Trials = append(in.Nodes[0].Trials, result.Trial{
				Index: 3*v + repetition, Variant: fmt.Sprintf("v%d", v), Repetition: repetition + 1, Node: "storage-0",
				Samples: []result.Sample{
					{Workload: "write", RuntimeNanoseconds: 4e9, Write: &result.Operation{Bytes: 1 << 20, IOs: 256},
						DeviceWrittenBytes: 2 << 20 * grows, DeviceWrites: 100 * grows, Monitors: busyDisk("d0")},
					{Workload: "files", RuntimeNanoseconds: 1e9, DeviceReads: 7, DeviceReadBytes: 4096, Phases: []result.Phase{
						{Name: "create", Operation: result.Operation{IOs: 1000 * grows}},
						{Name: "stat", Operation: result.Operation{IOs: 5000}, Reads: true},
					}},
				},
			})
		}
	}
	return in
}

func TestWork(t *testing.T) {
	want := []Work{
		{Workload: "files", Variant: "v0", Node: "storage-0", Samples: 3, Seconds: 1, InodesCreated: 2000, DeviceReads: 7,
			Limit: bottleneck.Limit{Factor: bottleneck.Unknown}, Limited: 3},
		{
			Workload: "write", Variant: "v0", Node: "storage-0", Samples: 3, Seconds: 4, DeviceWrites: 200,
			DeviceWriteBytesPerByte: 4, Limited: 3,
			Limit: bottleneck.Limit{Factor: bottleneck.Device, Devices: []string{"d0"},
				Evidence: "d0 97% of the time in use, 4 requests at once, 8 MiB/s"},
		},
	}
	if diff := cmp.Diff(want, workOf(samplesOf(workInput(1)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestInodesCreated(t *testing.T) {
	for name, tt := range map[string]struct {
		phase result.Phase
		want  int64
	}{
		"tree":                                 {result.Phase{Name: string(v1alpha1.TreeCreate)}, 1000},
		"copy":                                 {result.Phase{Name: string(v1alpha1.OperationCopy), Copies: true}, 1000},
		"files that are there":                 {result.Phase{Name: string(v1alpha1.TreeRead)}, 0},
		"what a script calls create, whatever": {result.Phase{Name: string(v1alpha1.TreeCreate), SelfReported: true}, 0},
	} {
		tt.phase.IOs = 1000
		if got := inodesCreated(result.Sample{Phases: []result.Phase{tt.phase}}); got != tt.want {
			t.Errorf("%s: %d inodes, want %d", name, got, tt.want)
		}
	}
}
