// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
)

// What a workload of many files takes is bounded by what it was asked for, in space and in time.
func TestWorkloadsOfManyFiles(t *testing.T) {
	const mib = 1 << 20
	size := func(text string) *resource.Quantity { return ptr.To(resource.MustParse(text)) }
	tree := func(w v1alpha1.TreeWorkload) v1alpha1.Workload { return v1alpha1.Workload{Tree: &w} }
	streams := func(w v1alpha1.StreamsWorkload) v1alpha1.Workload {
		w.Size = *size("64Mi")
		return v1alpha1.Workload{Streams: &w}
	}
	minute := &metav1.Duration{Duration: time.Minute}
	tests := map[string]struct {
		workload v1alpha1.Workload
		bytes    float64
		// least and most are of the estimated time.
		least, most time.Duration
	}{
		"bonnie++, throughput": {v1alpha1.Workload{Bonnie: &v1alpha1.BonnieWorkload{Size: size("1Gi")}}, 1024 * mib,
			4 * time.Minute, 6 * time.Minute},
		"bonnie++, files": {v1alpha1.Workload{
			Bonnie: &v1alpha1.BonnieWorkload{Files: &v1alpha1.BonnieFiles{Count: 16}},
		}, 16 * mib, 8 * time.Minute, 9 * time.Minute},
		"bonnie++, the larger set": {v1alpha1.Workload{Bonnie: &v1alpha1.BonnieWorkload{Size: size("1Mi"),
			Files: &v1alpha1.BonnieFiles{Count: 1, MaxSize: 1023 << 10}}}, 1024 * mib, 0, 10 * time.Minute},
		// 11 directories with 100 files each: 1111 inodes, 1100 files of 4 KiB.
		"a tree": {tree(v1alpha1.TreeWorkload{}), 1111*1024 + 1100*4096, 25 * time.Second, 35 * time.Second},
		"trees of 4 workers": {tree(v1alpha1.TreeWorkload{Workers: 4}), 4 * (1111*1024 + 1100*4096), 100 * time.Second,
			130 * time.Second},
		"a tree to read": {tree(v1alpha1.TreeWorkload{Phases: []v1alpha1.TreePhase{v1alpha1.TreeRead}}),
			1111*1024 + 1100*4096, 11 * time.Second, 13 * time.Second},
		"a tree that ends": {tree(v1alpha1.TreeWorkload{Levels: ptr.To[int32](8), Files: ptr.To[int32](0),
			MaxTime: minute}), 111111111 * 1024, 3 * time.Minute, 20 * time.Minute},
		// 15 files of 64 MiB.
		"streams": {streams(v1alpha1.StreamsWorkload{}), 960 * mib, 2 * time.Minute, 3 * time.Minute},
		"streams to read": {streams(v1alpha1.StreamsWorkload{Phases: []v1alpha1.StreamsPhase{v1alpha1.StreamsRead}}),
			960 * mib, 2 * time.Minute, 3 * time.Minute},
		"streams that write": {streams(v1alpha1.StreamsWorkload{Counts: []int32{1},
			Phases: []v1alpha1.StreamsPhase{v1alpha1.StreamsWrite}}), 64 * mib, 4 * time.Second, 5 * time.Second},
		// Twice the tree above: made, and then read and made again.
		"a copy": {v1alpha1.Workload{Copy: &v1alpha1.CopyWorkload{Tool: v1alpha1.CopyCp}},
			2 * (1111*1024 + 1100*4096), 16 * time.Second, 19 * time.Second},
		"a copy that ends": {v1alpha1.Workload{Copy: &v1alpha1.CopyWorkload{Tool: v1alpha1.CopyCp, Levels: ptr.To[int32](6),
			MaxTime: minute}}, 2 * 1111111 * 101 * 1024, 3 * time.Minute, maxTimeout},
		"a corpus": {v1alpha1.Workload{Corpus: &v1alpha1.CorpusWorkload{Parts: []v1alpha1.CorpusPart{
			{Content: v1alpha1.CorpusText, Size: *size("64Mi")},
			{Content: v1alpha1.CorpusRandom, Size: *size("64Mi"), Copies: 4},
		}}}, 128*mib + 128*1024, 8 * time.Second, 9 * time.Second},
		// The estimate is for 2048 files of 32 KiB.
		"a corpus of a claim": {v1alpha1.Workload{
			Corpus: &v1alpha1.CorpusWorkload{PersistentVolumeClaim: &v1alpha1.CorpusFromClaim{Size: *size("64Mi")}},
		}, 64*mib + 2048*1024, 14 * time.Second, 15 * time.Second},
		"a corpus that is copied": {v1alpha1.Workload{
			Corpus: &v1alpha1.CorpusWorkload{Image: &v1alpha1.CorpusFromImage{Size: *size("64Mi")}},
		}, 64*mib + 2048*1024, 14 * time.Second, 15 * time.Second},
		"a script": {v1alpha1.Workload{Script: &v1alpha1.ScriptWorkload{Size: *size("64Mi"), Timeout: minute}},
			64 * mib, time.Minute, time.Minute},
		"a tree without end": {tree(v1alpha1.TreeWorkload{Levels: ptr.To[int32](16), Directories: 100000,
			Files: ptr.To[int32](10000000)}), 2 * 1024 * (1 << 60), maxTimeout, maxTimeout},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := workloadBytes(tt.workload); got < tt.bytes || got > 10*tt.bytes+1 {
				t.Errorf("%v bytes, want %v", got, tt.bytes)
			}
			if got := estimate(Expanded{}, tt.workload); got < tt.least || got > tt.most {
				t.Errorf("estimated are %s, want %s to %s", got, tt.least, tt.most)
			}
		})
	}
}

// More operations are more that may have to be confirmed.
func TestPhasesAreCountedAsOperations(t *testing.T) {
	p := Plan{ConfirmingRepetitions: 1, Variants: make([]Variant, 100), Trials: make([]Trial, 100),
		Workloads: []v1alpha1.Workload{{Fio: &v1alpha1.FioWorkload{}}}}
	withFio := MostTrials(p)
	p.Workloads = []v1alpha1.Workload{{Tree: &v1alpha1.TreeWorkload{}}}
	if got := MostTrials(p); got != withFio+2*(5-2) {
		t.Errorf("%d trials, with fio %d", got, withFio)
	}
}
