// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

func TestPhaseOf(t *testing.T) {
	const (
		accepted = v1alpha1.ConditionAccepted
		running  = v1alpha1.ConditionRunning
	)
	b := func() benchmarkBuilder { return MakeBenchmark("default", "a") }
	tests := map[string]struct {
		benchmark benchmarkBuilder
		want      string
	}{
		"new":        {b(), v1alpha1.PhasePending},
		"accepted":   {b().Condition(accepted, "Accepted"), v1alpha1.PhasePending},
		"no consent": {b().Condition(accepted, "!NoPolicy"), v1alpha1.PhaseWaiting},
		"no consent, nothing runs": {b().Condition(accepted, "!NoPolicy").Condition(running, "!NoPolicy"),
			v1alpha1.PhaseWaiting},
		"queued": {b().Condition(accepted, "Accepted").Condition(running, "!Queued"),
			v1alpha1.PhaseQueued},
		"suspended": {b().Condition(accepted, "Accepted").Condition(running, "!Suspended"),
			v1alpha1.PhaseSuspended},
		"starting": {b().Condition(accepted, "Accepted").Condition(running, "Starting"),
			v1alpha1.PhaseRunning},
		"one node refuses meanwhile": {b().Condition(accepted, "!NoPolicy").Condition(running, "Running"),
			v1alpha1.PhaseRunning},
		"complete": {b().Condition(running, "!Complete").Condition(v1alpha1.ConditionComplete, "Complete"),
			v1alpha1.PhaseComplete},
		"failed": {b().Condition(running, "!TimedOut").Condition(v1alpha1.ConditionFailed, "TimedOut"),
			v1alpha1.PhaseFailed},
		"complete, being deleted": {b().Condition(running, "!Deleting").Condition(v1alpha1.ConditionComplete, "Complete"),
			v1alpha1.PhaseDeleting},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := phaseOf(&tt.benchmark.Obj().Status); got != tt.want {
				t.Errorf("phaseOf = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestColumns(t *testing.T) {
	at := func(d time.Duration) *metav1.Time { t := metav1.NewTime(testNow().Add(d)); return &t }
	progress := func(total, completed, failed, percent int32) v1alpha1.Progress {
		return v1alpha1.Progress{Trials: v1alpha1.TrialCounts{Total: total, Completed: completed, Failed: failed},
			Percent: percent}
	}
	tests := map[string]struct{ got, want string }{
		"no node":          {nodesColumn(nil), ""},
		"one node":         {nodesColumn([]v1alpha1.NodeStatus{{Name: "a"}}), "a"},
		"three nodes":      {nodesColumn([]v1alpha1.NodeStatus{{Name: "a"}, {Name: "b"}, {Name: "c"}}), "a +2"},
		"not begun":        {progressColumn(progress(10, 0, 0, 0)), "0/10"},
		"some trials":      {progressColumn(progress(10, 4, 0, 45)), "4/10 (45%)"},
		"a trial failed":   {progressColumn(progress(10, 3, 1, 45)), "4/10 (1 failed, 45%)"},
		"done":             {progressColumn(progress(10, 10, 0, 100)), "10/10"},
		"done, one failed": {progressColumn(progress(10, 9, 1, 100)), "10/10 (1 failed)"},
		"no ETA":           {etaColumn(nil, testNow()), ""},
		"ETA today":        {etaColumn(at(90*time.Minute), testNow()), "13:30 UTC"},
		"ETA tomorrow":     {etaColumn(at(13*time.Hour), testNow()), "Mar 2 01:00 UTC"},
		"ETA next year":    {etaColumn(at(365*24*time.Hour), testNow()), "Mar 1 12:00 UTC"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.got != tt.want {
				t.Errorf("got %q, want %q", tt.got, tt.want)
			}
		})
	}
}

func TestSentence(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"plain":      {"All is well.", "All is well."},
		"lines":      {"one\n\ttwo  three\r\n", "one two three"},
		"not UTF-8":  {"a\xffb", "a?b"},
		"long":       {strings.Repeat("é", maxMessage), strings.Repeat("é", maxMessage/2) + " …"},
		"odd length": {"x" + strings.Repeat("é", maxMessage), "x" + strings.Repeat("é", maxMessage/2-1) + " …"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := sentence(tt.in)
			if got != tt.want || !utf8.ValidString(got) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
