// SPDX-License-Identifier: Apache-2.0

package preset

import (
	"cmp"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

// openzfsCompressible is what OpenZFS's performance tests (tests/zfs-tests/tests/perf/perf.shlib) let compress of their
// data, openzfsRuntime how long each runs.
const (
	openzfsCompressible = 66
	openzfsRuntime      = 180
)

// usualRuntime and usualRamp are long against the 5 s of a transaction group.
const (
	usualRuntime = 60
	usualRamp    = 10
)

// presets are by name. Those called openzfs- are the first settings of the regression tests of that name in OpenZFS's
// tests/zfs-tests/tests/perf. Those called snia- take block size and mix from SNIA's Solid State Storage Performance
// Test Specification: with many jobs instead of a queue, because ZFS has no asynchronous I/O.
var presets = map[v1alpha1.FioPreset]v1alpha1.FioWorkload{
	"sequential-read":  {RW: v1alpha1.FioRead, BS: "1M", IOEngine: "psync"},
	"sequential-write": {RW: v1alpha1.FioWrite, BS: "1M", IOEngine: "psync"},
	"random-4k-read":   timed(v1alpha1.FioWorkload{RW: v1alpha1.FioRandRead, BS: "4k", NumJobs: 16, IOEngine: "psync"}),
	"random-4k-write":  timed(v1alpha1.FioWorkload{RW: v1alpha1.FioRandWrite, BS: "4k", NumJobs: 16, IOEngine: "psync"}),
	"oltp": timed(v1alpha1.FioWorkload{
		RW: v1alpha1.FioRandRW, RWMixRead: new(int32(70)), BS: "8k", NumJobs: 16, IOEngine: "psync",
		Sync: v1alpha1.FioSyncDsync,
	}),

	"openzfs-sequential-reads":  openzfs(v1alpha1.FioWorkload{RW: v1alpha1.FioRead, BS: "128k", NumJobs: 8}),
	"openzfs-sequential-writes": openzfs(v1alpha1.FioWorkload{RW: v1alpha1.FioWrite, BS: "8k", NumJobs: 16}),
	"openzfs-random-reads":      openzfs(v1alpha1.FioWorkload{RW: v1alpha1.FioRandRead, BS: "8k", NumJobs: 16}),
	"openzfs-random-writes":     openzfs(v1alpha1.FioWorkload{RW: v1alpha1.FioRandWrite, BS: "8k", NumJobs: 32}),
	"openzfs-random-readwrite-fixed": openzfs(v1alpha1.FioWorkload{
		RW: v1alpha1.FioRandRW, RWMixRead: new(int32(70)), BS: "8k", NumJobs: 64,
	}),

	"snia-random-4k-write": timed(v1alpha1.FioWorkload{
		RW: v1alpha1.FioRandWrite, BS: "4k", NumJobs: 32, IOEngine: "psync",
	}),
	"snia-random-8k-mixed": timed(v1alpha1.FioWorkload{
		RW: v1alpha1.FioRandRW, RWMixRead: new(int32(65)), BS: "8k", NumJobs: 32, IOEngine: "psync",
	}),
}

func timed(w v1alpha1.FioWorkload) v1alpha1.FioWorkload {
	w.TimeBased, w.Runtime, w.RampTime = new(true), seconds(usualRuntime), seconds(usualRamp)
	return w
}

func openzfs(w v1alpha1.FioWorkload) v1alpha1.FioWorkload {
	w.IOEngine, w.BufferCompressPercentage = "psync", new(int32(openzfsCompressible))
	w.TimeBased, w.Runtime = new(true), seconds(openzfsRuntime)
	return w
}

func seconds(n int) *metav1.Duration {
	return &metav1.Duration{Duration: time.Duration(n) * time.Second}
}

// Expand sets the fields of w that are left to its preset. Fields that are set stay, and fields of the preset that make
// no sense with them are left out. Nothing changes without a preset, or with an unknown one.
func Expand(w *v1alpha1.FioWorkload) {
	known, ok := presets[w.Preset]
	if !ok {
		return
	}
	base := *known.DeepCopy()
	base.RW, base.IOEngine = cmp.Or(w.RW, base.RW), cmp.Or(w.IOEngine, base.IOEngine)
	base = base.Meaningful()
	if w.TimeBased != nil && !*w.TimeBased { // It ends after its size.
		base.Runtime, base.RampTime = nil, nil
	}
	w.RW, w.IOEngine = base.RW, base.IOEngine
	if len(w.BSSplit) == 0 {
		w.BS = cmp.Or(w.BS, base.BS)
	}
	w.NumJobs = cmp.Or(w.NumJobs, base.NumJobs)
	w.Sync = cmp.Or(w.Sync, base.Sync)
	w.RWMixRead = cmp.Or(w.RWMixRead, base.RWMixRead)
	w.TimeBased = cmp.Or(w.TimeBased, base.TimeBased)
	w.Runtime = cmp.Or(w.Runtime, base.Runtime)
	w.RampTime = cmp.Or(w.RampTime, base.RampTime)
	w.BufferCompressPercentage = cmp.Or(w.BufferCompressPercentage, base.BufferCompressPercentage)
}
