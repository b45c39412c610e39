// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/workspace"
)

// lockedWorld is a world whose runner shares the node's lock with runners of other scratch directories.
func lockedWorld(t *testing.T) (w *world, e *Engine) {
	t.Helper()
	w = newWorld(t)
	e = w.engine(testPlan(w))
	e.NodeLock = filepath.Join(t.TempDir(), "zfsbench.lock")
	return w, e
}

// A runner waits for another one on its node, whatever scratch directory that has, and says so until it begins.
func TestWaitsForAnotherRunnerOnTheNode(t *testing.T) {
	w, e := lockedWorld(t)
	release, err := workspace.Lock(t.Context(), e.NodeLock, "team/other (UID o)", func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := e.lock(ctx); err == nil {
		t.Fatal("two runners have one node")
	}
	waiting := result.Progress{State: result.StateWaiting,
		Waiting: "another runner on this node to end: the runner of team/other (UID o)"}
	compareReports(t, waiting, *w.progress)
	release()
	unlock, err := e.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

// A report that is there stays: a final one keeps the plan from running twice.
func TestWaitingKeepsTheReport(t *testing.T) {
	w, e := lockedWorld(t)
	failure := &result.Failure{Reason: v1alpha1.ReasonWorkloadFailed, Message: "fio."}
	last := result.Progress{Version: result.Version, PlanDigest: e.digest, State: result.StateFailed, Completed: 3,
		Failure: failure}
	tests := map[string]struct{ holder, want string }{
		"of another benchmark": {"team/other (UID o)",
			"another runner on this node to end: the runner of team/other (UID o)"},
		"of this plan":      {e.who(), ""},
		"of who knows whom": {"", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			report := last
			w.progress = &report
			waits := &waiter{Engine: e}
			waits.report(t.Context(), tt.holder)
			compareReports(t, result.Progress{State: result.StateFailed, Completed: 3, Failure: failure, Waiting: tt.want},
				*w.progress)
			waits.begun(t.Context())
			compareReports(t, result.Progress{State: result.StateFailed, Completed: 3, Failure: failure}, *w.progress)
		})
	}
}

func compareReports(t *testing.T, want, got result.Progress) {
	t.Helper()
	got.Version, got.PlanDigest, got.Updated, got.Started = 0, "", time.Time{}, time.Time{}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}
