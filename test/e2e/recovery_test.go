// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"testing"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
)

// TestKilledRunnerContinues kills the runner in the second of two repetitions: a new pod goes on, the first repetition is not run again, none is
// lost and none is counted twice.
func TestKilledRunnerContinues(t *testing.T) {
	obj := newBenchmark("killed").disks(v1alpha1.VdevMirror, 2).repetitions(2).
		fio("steady", v1alpha1.FioRandWrite, "16k", "32Mi", timeBased(10*time.Second)).apply(t)
	awaitBenchmark(t, obj, "second repetition", func(b *v1alpha1.ZfsBenchmark) bool {
		return b.Status.Progress != nil && b.Status.Progress.CurrentRepetition == 2 && b.Status.Progress.CurrentWorkload == "steady"
	})
	first := readDocuments(t, obj).first(t)
	onNode(t, "pkill", "-KILL", "-f", "execute --plan[=]")

	got := awaitComplete(t, obj)
	documents := readDocuments(t, got)
	if n := len(documents.trials); n != 2 {
		t.Fatalf("%d trials in the results, want 2", n)
	}
	if again := documents.first(t); !again.Started.Equal(first.Started) {
		t.Errorf("the first repetition was run again: started %v, was %v", again.Started, first.Started)
	}
	for i, trial := range documents.trials {
		if trial.Index != i || trial.Repetition != i+1 {
			t.Errorf("trial %d is index %d, repetition %d", i, trial.Index, trial.Repetition)
		}
	}
	if n := len(runnerPods(t.Context(), obj)); n != 0 && n < 2 {
		t.Errorf("only %d runner pod: the kill did not hit", n)
	}
}
