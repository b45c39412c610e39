// SPDX-License-Identifier: Apache-2.0

package follow

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

func is(kind string, status metav1.ConditionStatus, reason, message string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message}
}

func TestFollow(t *testing.T) {
	const yes, no = metav1.ConditionTrue, metav1.ConditionFalse
	finished := is(v1alpha1.ConditionFinished, yes, "Complete", "")
	complete := is(v1alpha1.ConditionComplete, yes, "Complete", "All trials have results.")
	accepted := is(v1alpha1.ConditionAccepted, yes, "Accepted", "Every node agrees.")
	tests := map[string]struct {
		conditions []metav1.Condition
		progress   *v1alpha1.Progress
		line       string
		outcome    Outcome
	}{
		"new": {line: "Waiting: the operator has not looked at the benchmark yet."},
		"no consent": {conditions: []metav1.Condition{is(v1alpha1.ConditionAccepted, no, "NoPolicy", "Nobody offers d0.")},
			line: "Waiting (NoPolicy): Nobody offers d0."},
		"accepted": {conditions: []metav1.Condition{accepted}, line: "Accepted: Every node agrees."},
		"queued": {conditions: []metav1.Condition{accepted, is(v1alpha1.ConditionRunning, no, "Queued", "It waits for x.")},
			line: "Queued: It waits for x."},
		"starting": {conditions: []metav1.Condition{accepted, is(v1alpha1.ConditionRunning, yes, "Starting", "Checks run.")},
			progress: &v1alpha1.Progress{}, line: "Starting: Checks run."},
		"running": {
			conditions: []metav1.Condition{accepted, is(v1alpha1.ConditionRunning, yes, "Running", "Writes.")},
			progress: &v1alpha1.Progress{Trials: v1alpha1.TrialCounts{Total: 12, Completed: 2, Failed: 1}, CurrentVariant: "a=b",
				CurrentRepetition: 4, Percent: 30, CurrentWorkload: "w"},
			line: "Running: 3 of 12 trials done (1 failed); variant a=b, repetition 4",
		},
		"a dry run": {conditions: []metav1.Condition{accepted, is(v1alpha1.ConditionRunning, yes, "Running", "Looks at d0.")},
			line: "Running: Looks at d0."},
		"complete": {conditions: []metav1.Condition{accepted, finished, complete},
			line: "Complete (Complete): All trials have results.", outcome: Complete},
		"complete, not certain": {conditions: []metav1.Condition{finished, complete,
			is(v1alpha1.ConditionConverged, no, "NotConverged", "One is wide.")},
			line:    "Complete (Complete): All trials have results. Converged=False: One is wide.",
			outcome: Complete},
		"thresholds": {conditions: []metav1.Condition{finished, complete,
			is(v1alpha1.ConditionThresholdsMet, no, "NotMet", "w is slow.")},
			line:    "Complete (Complete): All trials have results. ThresholdsMet=False: w is slow.",
			outcome: NotMet},
		"failed": {conditions: []metav1.Condition{finished, is(v1alpha1.ConditionFailed, yes, "PoolFailed", "d0 broke."),
			is(v1alpha1.ConditionThresholdsMet, no, "BenchmarkFailed", "Not judged.")},
			line: "Failed (PoolFailed): d0 broke. ThresholdsMet=False: Not judged.", outcome: Failed},
		"rejected": {
			conditions: []metav1.Condition{finished, is(v1alpha1.ConditionFailed, yes, "InvalidSpec", "d9 is unknown.")},
			line:       "Failed (InvalidSpec): d9 is unknown.", outcome: Refused},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := &v1alpha1.ZfsBenchmark{}
			b.Status.Conditions, b.Status.Progress = test.conditions, test.progress
			if line := Line(b); line != test.line {
				t.Errorf("got  %s\nwant %s", line, test.line)
			}
			if outcome := OutcomeOf(b); outcome != test.outcome {
				t.Errorf("outcome %d, want %d", outcome, test.outcome)
			}
		})
	}
}

func TestDeleting(t *testing.T) {
	b := &v1alpha1.ZfsBenchmark{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: new(metav1.Now())}}
	if line := Line(b); line != "Deleting: the operator removes what the benchmark left on its nodes." {
		t.Error(line)
	}
}
