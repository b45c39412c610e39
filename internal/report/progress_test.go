// SPDX-License-Identifier: Apache-2.0

package report

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

func TestProgress(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	in := func(d time.Duration) *metav1.Time { return &metav1.Time{Time: now.Add(d)} }
	minutes := func(n ...int) []time.Duration {
		var out []time.Duration
		for _, m := range n {
			out = append(out, time.Duration(m)*time.Minute)
		}
		return out
	}
	counts := func(total, completed, failed int32) v1alpha1.TrialCounts {
		return v1alpha1.TrialCounts{Total: total, Completed: completed, Failed: failed}
	}
	tests := map[string]struct {
		nodes    []NodeProgress
		parallel int
		want     v1alpha1.Progress
	}{
		"nothing":     {nil, 0, v1alpha1.Progress{}},
		"not started": {[]NodeProgress{{Planned: 4}}, 0, v1alpha1.Progress{Trials: counts(4, 0, 0)}},
		"first trial": {
			[]NodeProgress{{Planned: 4, Current: &result.CurrentTrial{Variant: "default", Repetition: 0,
				Workload: "seq-write", Percent: 50}}}, 0,
			v1alpha1.Progress{Trials: counts(4, 0, 0), Percent: 12, CurrentVariant: "default", CurrentWorkload: "seq-write"},
		},
		"half": {
			[]NodeProgress{{Planned: 4, Completed: 2, Durations: minutes(2, 4),
				Current: &result.CurrentTrial{Variant: "default", Repetition: 2, Percent: 50}}}, 0,
			v1alpha1.Progress{
				Trials: counts(4, 2, 0), Percent: 62, CurrentVariant: "default", CurrentRepetition: 2,
				EstimatedCompletionTime: in(4*time.Minute + 30*time.Second),
			},
		},
		"a failed one counts as done": {
			[]NodeProgress{{Planned: 4, Completed: 1, Failed: 1, Durations: minutes(2)}}, 0,
			v1alpha1.Progress{Trials: counts(4, 1, 1), Percent: 50, EstimatedCompletionTime: in(4 * time.Minute)},
		},
		"the slowest node decides": {
			[]NodeProgress{{Planned: 4, Completed: 2, Durations: minutes(1, 1)},
				{Planned: 4, Completed: 2, Durations: minutes(3, 3)}}, 0,
			v1alpha1.Progress{Trials: counts(8, 4, 0), Percent: 50, EstimatedCompletionTime: in(6 * time.Minute)},
		},
		"one after the other": {
			[]NodeProgress{{Planned: 2, Completed: 1, Durations: minutes(2)}, {Planned: 2}}, 1,
			v1alpha1.Progress{Trials: counts(4, 1, 0), Percent: 25, EstimatedCompletionTime: in(6 * time.Minute)},
		},
		"an ended node has nothing left": {
			[]NodeProgress{{Planned: 4, Completed: 1, Failed: 1, Durations: minutes(2), Ended: true}}, 0,
			v1alpha1.Progress{Trials: counts(4, 1, 1), Percent: 50},
		},
		"not finished is not 100": {
			[]NodeProgress{{Planned: 1, Current: &result.CurrentTrial{Variant: "v", Percent: 100}}}, 0,
			v1alpha1.Progress{Trials: counts(1, 0, 0), Percent: 99, CurrentVariant: "v"},
		},
		"done": {
			[]NodeProgress{{Planned: 2, Completed: 2, Durations: minutes(1, 1)}}, 0,
			v1alpha1.Progress{Trials: counts(2, 2, 0), Percent: 100},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Progress(tt.nodes, tt.parallel, now)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
