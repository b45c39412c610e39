// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

func TestProgressOf(t *testing.T) {
	at := func(d time.Duration) *metav1.Time { return ptr.To(metav1.NewTime(testNow().Add(d))) }
	// A run of 4 trials with 1 done and the next one half done.
	half := func() *nodeRun {
		return MakeRun().Ours().Planned(4).Job().Reported(result.StateRunning).With(func(n *nodeRun) {
			n.progress.Completed = 1
			n.progress.Current = &result.CurrentTrial{Index: 1, Variant: "default", Repetition: 2, Workload: "seq-write",
				Percent: 50}
		}).Obj()
	}
	current := v1alpha1.Progress{
		Trials: v1alpha1.TrialCounts{Total: 4, Completed: 1}, Percent: 37,
		CurrentVariant: "default", CurrentRepetition: 2, CurrentWorkload: "seq-write",
	}
	tests := map[string]struct {
		run       *nodeRun
		state     string
		durations []time.Duration
		want      func(v1alpha1.Progress) *v1alpha1.Progress
	}{
		"no plan":          {MakeRun().Obj(), nodeQueued, nil, func(v1alpha1.Progress) *v1alpha1.Progress { return nil }},
		"no trial is done": {half(), nodeRunning, nil, func(p v1alpha1.Progress) *v1alpha1.Progress { return &p }},
		"half way": {half(), nodeRunning, []time.Duration{time.Minute}, func(p v1alpha1.Progress) *v1alpha1.Progress {
			p.EstimatedCompletionTime = at(150 * time.Second)
			return &p
		}},
		"suspended": {half(), nodeSuspended, []time.Duration{time.Minute}, func(p v1alpha1.Progress) *v1alpha1.Progress {
			return &v1alpha1.Progress{Trials: p.Trials, Percent: 25}
		}},
		"done": {half(), nodeComplete, []time.Duration{time.Minute}, func(p v1alpha1.Progress) *v1alpha1.Progress {
			return &v1alpha1.Progress{Trials: p.Trials, Percent: 25}
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := &scope{
				benchmark: MakeBenchmark("default", "a").State("storage-0", tt.state).Obj(), now: testNow(),
				runs:    []*nodeRun{tt.run},
				reading: &reading{nodes: map[string]nodeReading{"storage-0": {durations: tt.durations}}},
			}
			tt.run.record(s.nodeStatus("storage-0"))
			if diff := cmp.Diff(tt.want(current), s.progressOf()); diff != "" {
				t.Errorf("progress (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRecordTakesNoMoreThanPlanned(t *testing.T) {
	run := MakeRun().Planned(2).Reported(result.StateRunning).With(func(n *nodeRun) {
		n.progress.Completed, n.progress.Failed = 1<<40, 1<<40
	}).Obj()
	var status v1alpha1.NodeStatus
	run.record(&status)
	if want := (v1alpha1.TrialCounts{Total: 2, Completed: 2}); status.Trials != want {
		t.Errorf("trials = %+v, want %+v", status.Trials, want)
	}
}
