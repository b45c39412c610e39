// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

func condition(kind string, status metav1.ConditionStatus, message string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: status, Reason: "Reason", Message: message}
}

func benchmark(phase string, progress *v1alpha1.Progress, conditions ...metav1.Condition) *v1alpha1.ZfsBenchmark {
	b := &v1alpha1.ZfsBenchmark{}
	b.Name = "mirror"
	b.Status = v1alpha1.ZfsBenchmarkStatus{Phase: phase, Progress: progress, Conditions: conditions}
	return b
}

func TestProgressLine(t *testing.T) {
	counts := v1alpha1.TrialCounts{Total: 2, Completed: 1}
	tests := map[string]struct {
		benchmark *v1alpha1.ZfsBenchmark
		want      string
	}{
		"not yet seen by the operator": {benchmark: benchmark("", nil), want: "mirror"},
		"waits": {
			benchmark: benchmark("Waiting", nil,
				condition(v1alpha1.ConditionAccepted, metav1.ConditionFalse, "No policy names the disk.")),
			want: "mirror       Waiting    No policy names the disk.",
		},
		"queued": {
			benchmark: benchmark("Queued", nil,
				condition(v1alpha1.ConditionAccepted, metav1.ConditionTrue, "Every node agrees."),
				condition(v1alpha1.ConditionRunning, metav1.ConditionFalse, "Position 1.")),
			want: "mirror       Queued     Position 1.",
		},
		"is about to run": {
			benchmark: benchmark("Running", &v1alpha1.Progress{Trials: v1alpha1.TrialCounts{Total: 2}},
				condition(v1alpha1.ConditionRunning, metav1.ConditionTrue, "The runner checks devices.")),
			want: "mirror       Running     0%  trials 0/2  The runner checks devices.",
		},
		"runs": {
			benchmark: benchmark("Running",
				&v1alpha1.Progress{Trials: counts, Percent: 61, CurrentRepetition: 2, CurrentWorkload: "seq-read"},
				condition(v1alpha1.ConditionRunning, metav1.ConditionTrue, "Trials run.")),
			want: "mirror       Running    61%  trials 1/2  repetition 2: seq-read",
		},
		"complete": {
			benchmark: benchmark("Complete",
				&v1alpha1.Progress{Trials: v1alpha1.TrialCounts{Total: 2, Completed: 2}, Percent: 100},
				condition(v1alpha1.ConditionRunning, metav1.ConditionFalse, "Nothing is running."),
				condition(v1alpha1.ConditionFinished, metav1.ConditionTrue, "Done.")),
			want: "mirror       Complete  100%  trials 2/2",
		},
		"failed": {
			benchmark: benchmark("Failed", &v1alpha1.Progress{Trials: v1alpha1.TrialCounts{Total: 2, Completed: 1, Failed: 1},
				Percent: 100},
				condition(v1alpha1.ConditionFinished, metav1.ConditionTrue, "Done."),
				condition(v1alpha1.ConditionFailed, metav1.ConditionTrue, "The pool is full.")),
			want: "mirror       Failed    100%  trials 1/2, 1 failed  The pool is full.",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, progressLine(tt.benchmark)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOutcome(t *testing.T) {
	finished := condition(v1alpha1.ConditionFinished, metav1.ConditionTrue, "")
	tests := map[string]struct {
		conditions   []metav1.Condition
		wantFinished bool
		wantErr      error
	}{
		"runs": {conditions: []metav1.Condition{condition(v1alpha1.ConditionRunning, metav1.ConditionTrue, "")}},
		"complete": {conditions: []metav1.Condition{finished,
			condition(v1alpha1.ConditionComplete, metav1.ConditionTrue, "")}, wantFinished: true},
		"failed": {
			conditions: []metav1.Condition{finished,
				condition(v1alpha1.ConditionFailed, metav1.ConditionTrue, "The pool is full.")},
			wantFinished: true,
			wantErr:      errNotComplete,
		},
		"finished without a word": {conditions: []metav1.Condition{finished}, wantFinished: true, wantErr: errNotComplete},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := outcome(benchmark("", nil, tt.conditions...))
			if got != tt.wantFinished || !errors.Is(err, tt.wantErr) {
				t.Errorf("outcome = %t, %v; want %t, %v", got, err, tt.wantFinished, tt.wantErr)
			}
		})
	}
}
