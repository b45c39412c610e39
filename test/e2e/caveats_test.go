// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/caveats"
)

// The workloads of three benchmarks: on a disk, on files, and one that drifts.
const (
	shortWrite  = "short-write"
	syncedWrite = "synced-write"
	coldRead    = "cold-read"
	warmRead    = "warm-read"
	partWrite   = "part-write"
	wholeWrite  = "whole-write"
	deepWrite   = "deep-write"
	flatWrite   = "flat-write"
	packedWrite = "packed-write"
)

// onDisk provokes some warnings with some of its workloads, and none of them with others.
func onDisk() benchmark {
	direct := func(w *v1alpha1.FioWorkload) { w.Direct = true }
	libaio := func(depth int32) func(*v1alpha1.FioWorkload) {
		return func(w *v1alpha1.FioWorkload) { w.IOEngine, w.IODepth = "libaio", depth }
	}
	b := newBenchmark("truth-disk").disks(v1alpha1.VdevStripe, 1).property("compression", "off").property("recordsize",
		"128K").
		fio(shortWrite, v1alpha1.FioWrite, "128k", seqSize()).
		fio(syncedWrite, v1alpha1.FioWrite, "128k", seqSize(), synced, timeBased(10*time.Second)).
		fio(coldRead, v1alpha1.FioRead, "128k", seqSize()).
		fio(warmRead, v1alpha1.FioRead, "128k", seqSize()).
		fio(partWrite, v1alpha1.FioRandWrite, "16k", seqSize(), direct).
		fio(wholeWrite, v1alpha1.FioRandWrite, "128k", seqSize(), direct).
		fio(deepWrite, v1alpha1.FioWrite, "128k", seqSize(), libaio(8)).
		fio(flatWrite, v1alpha1.FioWrite, "128k", seqSize(), libaio(1))
	b.obj.Spec.Workloads[3].Cache = v1alpha1.CacheWarm
	return b
}

// onFiles provokes what comes from the pool and the dataset.
func onFiles() benchmark {
	packed := func(w *v1alpha1.FioWorkload) { w.BufferCompressPercentage = ptr.To[int32](80) }
	return newBenchmark("truth-files").files(2, "256Mi").property("compression", "lz4").property("sync", "disabled").
		fio(packedWrite, v1alpha1.FioWrite, "128k", seqSize(), packed).seqRead()
}

// TestCaveats provokes every warning about a result on a real node, except NodeNotQuiet, which has its own test. Beside
// each there is a result that must not have the warning.
func TestCaveats(t *testing.T) {
	studies(t)
	quiet := isQuiet(t)
	found := map[string][]caveats.Warning{}
	for _, b := range []benchmark{onDisk(), onFiles()} {
		got := awaitComplete(t, b.apply(t))
		docs := readDocuments(t, got)
		t.Logf("summary.md:\n%s", docs.summary)
		found[got.Name] = docs.json.Warnings
		for _, w := range docs.json.Warnings {
			if !meta.IsStatusConditionTrue(got.Status.Conditions, w.Kind) {
				t.Errorf("%s has no condition for its warning %+v", got.Name, w)
			}
		}
	}
	drifting := driftingBenchmark(t)
	found[drifting.Name] = readDocuments(t, drifting).json.Warnings

	tests := map[string]struct {
		benchmark       string
		provoked, clean string
	}{
		v1alpha1.ConditionServedFromCache: {"truth-disk", warmRead, coldRead},
		v1alpha1.ConditionTooShort:        {"truth-disk", shortWrite, syncedWrite},
		v1alpha1.ConditionDirectIgnored:   {"truth-disk", partWrite, wholeWrite},
		v1alpha1.ConditionPartialRecords:  {"truth-disk", partWrite, wholeWrite},
		v1alpha1.ConditionDepthIgnored:    {"truth-disk", deepWrite, flatWrite},
		v1alpha1.ConditionSyncDisabled:    {"truth-files", packedWrite, "seq-read"},
		v1alpha1.ConditionDrift:           {"truth-drift", syncedWrite, warmRead},
	}
	for kind, tt := range tests {
		t.Run(kind, func(t *testing.T) {
			if !warns(found[tt.benchmark], kind, tt.provoked) {
				t.Errorf("%s lacks the warning: %+v", tt.provoked, found[tt.benchmark])
			}
			if warns(found[tt.benchmark], kind, tt.clean) {
				t.Errorf("%s has the warning: %+v", tt.clean, found[tt.benchmark])
			}
		})
	}
	// What comes from the pool or the data holds for all workloads of a benchmark.
	for _, kind := range []string{v1alpha1.ConditionFileVdevs, v1alpha1.ConditionDataNotRandom} {
		t.Run(kind, func(t *testing.T) {
			if !warns(found["truth-files"], kind, packedWrite) || warns(found["truth-disk"], kind, shortWrite) {
				t.Errorf("on files: %+v\non a disk: %+v", found["truth-files"], found["truth-disk"])
			}
		})
	}
	t.Run(v1alpha1.ConditionNodeNotQuiet, func(t *testing.T) {
		if !quiet {
			t.Skip("the node is busy although nothing runs: the warning is right there")
		}
		if warns(found["truth-disk"], v1alpha1.ConditionNodeNotQuiet, syncedWrite) {
			t.Errorf("the node was quiet, but %+v", found["truth-disk"])
		}
	})
}

func warns(warnings []caveats.Warning, kind, workload string) bool {
	return slices.ContainsFunc(warnings, func(w caveats.Warning) bool { return w.Kind == kind && w.Workload == workload })
}

// driftingBenchmark runs on a disk that becomes slower from trial to trial. What it reads from memory does not, and the
// margin forgives what an emulated node does by itself.
func driftingBenchmark(t *testing.T) *v1alpha1.ZfsBenchmark {
	t.Helper()
	const trials, first = 8, 24 << 20
	if _, _, err := devNode(t); err != nil {
		t.Skipf("no disk can be throttled here: %v", err)
	}
	b := newBenchmark("truth-drift").disks(v1alpha1.VdevStripe, 1).property("compression", "off").repetitions(trials).
		fio(syncedWrite, v1alpha1.FioWrite, "128k", seqSize(), synced).
		fio(warmRead, v1alpha1.FioRead, "128k", seqSize(), timeBased(5*time.Second))
	b.obj.Spec.Workloads[1].Cache = v1alpha1.CacheWarm
	b.obj.Spec.Comparison = &v1alpha1.ComparisonSpec{Margin: "25%"}
	obj := b.apply(t)
	rate := int64(first)
	for done := range int32(trials) {
		throttle(t, rate, suite.disks[0])
		rate = rate * 3 / 4
		awaitBenchmark(t, obj, "one trial more", func(b *v1alpha1.ZfsBenchmark) bool {
			return finished(b) || b.Status.Progress != nil && b.Status.Progress.Trials.Completed > done
		})
	}
	return awaitComplete(t, obj)
}
