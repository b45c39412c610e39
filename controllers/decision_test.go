// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

func compareDecisions(t *testing.T, want, got decision) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(decision{})); diff != "" {
		t.Errorf("decision (-want +got):\n%s", diff)
	}
}

func TestDecide(t *testing.T) {
	const held = "; set spec.suspend to false to continue."
	tests := map[string]struct {
		run     *nodeRun
		suspend bool
		want    decision
	}{
		"nothing yet": {
			run:  MakeRun().Obj(),
			want: decision{state: nodeQueued, do: doQueue},
		},
		"no consent": {
			run:  MakeRun().Refused(v1alpha1.ReasonNoPolicy, "A policy is needed.", true).Obj(),
			want: decision{state: nodeWaiting, message: "A policy is needed."},
		},
		"consent lost with the lease just taken": {
			run:  MakeRun().Ours().Refused(v1alpha1.ReasonNoPolicy, "A policy is needed.", true).Obj(),
			want: decision{state: nodeWaiting, do: doRelease, message: "A policy is needed."},
		},
		"suspended before the start": {
			run: MakeRun().Obj(), suspend: true,
			want: decision{state: nodeSuspended, message: "Suspended before the start" + held},
		},
		"suspended with the lease just taken": {
			run: MakeRun().Ours().Obj(), suspend: true,
			want: decision{state: nodeSuspended, do: doRelease, message: "Suspended before the start" + held},
		},
		"lease taken": {
			run:  MakeRun().Ours().Obj(),
			want: running(doStart, "The runner's pod is starting."),
		},
		"Job lost while running": {
			run:  MakeRun().Ours().Planned(2).Reported(result.StateRunning).Obj(),
			want: running(doStart, "The runner's pod is starting."),
		},
		"Job lost, its pod still there": {
			run:  MakeRun().Ours().Planned(2).Reported(result.StateRunning).Pod(1, nil).Obj(),
			want: running(doNothing, "The runner's last pod is ending."),
		},
		"resumed without the lease": {
			run:  MakeRun().Planned(2).Reported(result.StateSuspended).Obj(),
			want: decision{state: nodeQueued, do: doQueue},
		},
		"Job made": {
			run:  MakeRun().Ours().Planned(2).Job().Pod(1, waitingFor("ContainerCreating", "")).Obj(),
			want: running(doNothing, "The runner's pod is starting."),
		},
		"pod runs": {
			run:  MakeRun().Ours().Planned(2).Job().Pod(1, nil).Obj(),
			want: running(doNothing, "The runner has started and is about to report."),
		},
		"another runner has the node": {
			run: MakeRun().Ours().Planned(2).Job().Pod(1,
				nil).Waiting("another runner on this node to end: the runner of team/other (UID o)").Obj(),
			want: running(doNothing,
				"The runner waits for another runner on this node to end: the runner of team/other (UID o)."),
		},
		"preflight": {
			run:  MakeRun().Ours().Planned(2).Job().Pod(1, nil).Reported(result.StatePreflight).Obj(),
			want: running(doNothing, "The runner is checking devices and tools before it writes anything."),
		},
		"running": {
			run:  MakeRun().Ours().Planned(2).Job().Pod(1, nil).Reported(result.StateRunning).Obj(),
			want: running(doNothing, "0 of 2 trials are done."),
		},
		"running on a node that is not Ready": {
			run: MakeRun().Node(MakeNode("storage-0").NotReady().Obj()).Ours().Planned(2).Job().Pod(1,
				nil).Reported(result.StateRunning).Obj(),
			want: running(doNothing, "0 of 2 trials are done. Node storage-0 is not Ready; this continues when it is."),
		},
		"suspended while running": {
			run: MakeRun().Ours().Planned(2).Job().Pod(1, nil).Reported(result.StateRunning).Obj(), suspend: true,
			want: running(doAskSuspend, "0 of 2 trials are done."),
		},
		"suspended while running, and asked": {
			run:     MakeRun().Ours().Planned(2).Job().Pod(1, nil).Reported(result.StateRunning).AskedToSuspend().Obj(),
			suspend: true,
			want:    running(doNothing, "0 of 2 trials are done. The benchmark is suspended after the current one."),
		},
		"resumed before the runner noticed": {
			run:  MakeRun().Ours().Planned(2).Job().Pod(1, nil).Reported(result.StateRunning).AskedToSuspend().Obj(),
			want: running(doAskSuspend, "0 of 2 trials are done. The benchmark is suspended after the current one."),
		},
		"runner stopped as asked": {
			run: MakeRun().Ours().Planned(2).JobComplete().Reported(result.StateSuspended).AskedToSuspend().Obj(), suspend: true,
			want: decision{state: nodeSuspended, do: doDeleteJob, message: "Suspended between two trials" + held},
		},
		"runner stopped, but the benchmark was resumed": {
			run:  MakeRun().Ours().Planned(2).JobComplete().Reported(result.StateSuspended).AskedToSuspend().Obj(),
			want: running(doDeleteJob, "The runner stopped between two trials and is started again."),
		},
		"runner stopped, and was then told to go on": {
			run:  MakeRun().Ours().Planned(2).JobComplete().Reported(result.StateSuspended).ToldToGoOn().Obj(),
			want: running(doDeleteJob, "The runner stopped between two trials and is started again."),
		},
		"runner stopped unasked": {
			run:  MakeRun().Ours().Planned(2).JobComplete().Reported(result.StateSuspended).Obj(),
			want: failed(v1alpha1.ReasonRunnerFailed, "The runner reports that it was suspended, but nobody requested that."),
		},
		"stopped runner's Job is going": {
			run: MakeRun().Ours().Planned(2).JobDeleting().Reported(result.StateSuspended).Obj(), suspend: true,
			want: running(doNothing, "The runner's pod is ending."),
		},
		"stopped runner's Job is gone": {
			run: MakeRun().Ours().Planned(2).Reported(result.StateSuspended).Obj(), suspend: true,
			want: decision{state: nodeSuspended, do: doRelease, message: "Suspended between two trials" + held},
		},
		"suspended while nobody knows what is on the node": {
			run: MakeRun().Ours().Planned(2).Reported(result.StateRunning).Owned().Obj(), suspend: true,
			want: decision{state: nodeSuspended, message: "Suspended between two trials" + held},
		},
		"complete": {
			run:  MakeRun().Ours().Planned(2).JobComplete().Reported(result.StateComplete).Results(2).Obj(),
			want: decision{state: nodeComplete, message: "All 2 trials are done."},
		},
		"complete, but the pod has not ended": {
			run: MakeRun().Ours().Planned(2).Job().Pod(1, nil).Reported(result.StateComplete).Results(2).Obj(),
			want: decision{state: nodeRunning, message: "The runner has reported, and its pod is ending.",
				requeueAfter: endPatience},
		},
		"failed, and the pod does not end": {
			run: MakeRun().Ours().Planned(2).Job().Pod(1, nil).ReportedFailure(v1alpha1.ReasonPoolSuspended, "Gone.").
				With(func(n *nodeRun) { n.progress.Updated = testNow().Add(-endPatience) }).Obj(),
			want: decision{state: nodeFailed, reason: v1alpha1.ReasonPoolSuspended, message: "Gone."},
		},
		"failed in the future, and the pod has not ended": {
			run: MakeRun().Ours().Planned(2).Job().Pod(1, nil).ReportedFailure(v1alpha1.ReasonPoolSuspended, "Gone.").
				With(func(n *nodeRun) { n.progress.Updated = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) }).Obj(),
			want: decision{state: nodeRunning, message: "The runner has reported, and its pod is ending.",
				requeueAfter: endPatience},
		},
		"interrupted, and the pod has not ended": {
			run: MakeRun().Ours().Planned(2).Job().Pod(1, nil).ReportedFailure(v1alpha1.ReasonInterrupted, "Told to stop.").
				With(func(n *nodeRun) { n.progress.Updated = testNow().Add(-time.Hour) }).Obj(),
			want: running(doNothing, "The runner has reported, and its pod is ending."),
		},
		"complete, its Job deleted by somebody": {
			run:  MakeRun().Ours().Planned(2).Reported(result.StateComplete).Results(2).Obj(),
			want: decision{state: nodeComplete, message: "All 2 trials are done."},
		},
		"complete, without all results": {
			run: MakeRun().Ours().Planned(2).JobComplete().Reported(result.StateComplete).Results(1).Obj(),
			want: failed(v1alpha1.ReasonResultsUnreadable,
				"The runner reports that all 2 trials are done, but 1 of them have no result."),
		},
		"dry run passed": {
			run: MakeRun().Ours().Planned(2).JobComplete().Reported(result.StateComplete).
				DryRun(&result.Preflight{Passed: true}).Obj(),
			want: decision{state: nodeComplete, message: "The preflight passed; nothing was written to any device."},
		},
		"dry run passed with a warning": {
			run: MakeRun().Ours().Planned(2).JobComplete().Reported(result.StateComplete).
				DryRun(&result.Preflight{Passed: true, Checks: []result.Check{
					{Outcome: result.OutcomePassed, Message: "Good."}, {Outcome: result.OutcomeWarning, Message: "Tight."},
				}}).Obj(),
			want: decision{state: nodeComplete,
				message: "The preflight passed; nothing was written to any device. One warning: Tight."},
		},
		"dry run passed with two": {
			run: MakeRun().Ours().Planned(2).JobComplete().Reported(result.StateComplete).
				DryRun(&result.Preflight{Passed: true, Checks: []result.Check{
					{Outcome: result.OutcomeWarning, Message: "Slow."}, {Outcome: result.OutcomeWarning, Message: "Tight."},
				}}).Obj(),
			want: decision{state: nodeComplete,
				message: "The preflight passed; nothing was written to any device. 2 warnings, the first: Slow."},
		},
		"dry run without a preflight": {
			run: MakeRun().Ours().Planned(2).JobComplete().Reported(result.StateComplete).DryRun(nil).Obj(),
			want: failed(v1alpha1.ReasonResultsUnreadable,
				"The runner reports that the dry run is done, but it reports no preflight that passed."),
		},
		"dry run whose preflight did not pass": {
			run: MakeRun().Ours().Planned(2).JobComplete().Reported(result.StateComplete).DryRun(&result.Preflight{}).Obj(),
			want: failed(v1alpha1.ReasonResultsUnreadable,
				"The runner reports that the dry run is done, but it reports no preflight that passed."),
		},
		"complete, but a result says otherwise": {
			run: MakeRun().Ours().Planned(2).JobComplete().Reported(result.StateComplete).Results(2).With(func(n *nodeRun) {
				n.failures = 1
			}).Obj(),
			want: decision{state: nodeFailed, reason: v1alpha1.ReasonWorkloadFailed,
				message: "The runner reports that all 2 trials are complete, but by their results 1 of them failed."},
		},
		"failed for a reason that is not the runner's to give": {
			run:  MakeRun().Ours().Planned(2).JobComplete().ReportedFailure("Complete", "All \x1b[32mgreen\x1b[0m.").Obj(),
			want: decision{state: nodeFailed, reason: v1alpha1.ReasonRunnerFailed, message: "All ?[32mgreen?[0m."},
		},
		"failed": {
			run: MakeRun().Ours().Planned(2).JobComplete().ReportedFailure(v1alpha1.ReasonWorkloadFailed,
				"fio ended with ENOSPC.").Obj(),
			want: failed(v1alpha1.ReasonWorkloadFailed, "fio ended with ENOSPC."),
		},
		"failed, and a new pod is at it": {
			run:  MakeRun().Ours().Planned(2).Job().Pod(1, nil).ReportedFailure(v1alpha1.ReasonInterrupted, "SIGTERM.").Obj(),
			want: running(doNothing, "The runner has reported, and its pod is ending."),
		},
		"retries exhausted after an interruption": {
			run: MakeRun().Ours().Planned(2).JobFailed("BackoffLimitExceeded", "Job has reached the specified backoff limit").
				ReportedFailure(v1alpha1.ReasonInterrupted, "SIGTERM.").Pod(1, diedOf("cannot reach the API.")).Obj(),
			want: failed(v1alpha1.ReasonRunnerFailed,
				"The runner ended without a report. Its Job says: Job has reached the specified backoff limit. "+
					"Its pod's last message: "+
					"cannot reach the API."),
		},
		"ended without a report": {
			run:  MakeRun().Ours().Planned(2).JobComplete().Reported(result.StateRunning).Obj(),
			want: failed(v1alpha1.ReasonRunnerFailed, "The runner ended without a report."),
		},
		"a new Job failed after a suspension": {
			run:  MakeRun().Ours().Planned(2).JobFailed("BackoffLimitExceeded", "").Reported(result.StateSuspended).Obj(),
			want: failed(v1alpha1.ReasonRunnerFailed, "The runner ended without a report."),
		},
		"backstop": {
			run: MakeRun().Ours().Planned(2).JobFailed(batchv1.JobReasonDeadlineExceeded,
				"Job was active longer than specified deadline").Reported(result.StateRunning).Obj(),
			want: failed(v1alpha1.ReasonTimedOut,
				"The runner did not end within its timeout of 1h0m0s, nor within the hour after it."),
		},
		"policy revoked while running": {
			run: MakeRun().Ours().Planned(2).Job().Pod(1, nil).Reported(result.StateRunning).
				Refused(v1alpha1.ReasonNoPolicy, "A policy is needed.", true).Obj(),
			want: failed(v1alpha1.ReasonPolicyRevoked, "The consent to run here was withdrawn: A policy is needed."),
		},
		"label removed while running": {
			run: MakeRun().Ours().Planned(2).Job().Pod(1, nil).Reported(result.StateRunning).
				Refused(v1alpha1.ReasonNodeNotAllowed, "A label is needed.", true).Obj(),
			want: failed(v1alpha1.ReasonNodeNotAllowed, "The consent to run here was withdrawn: A label is needed."),
		},
		"policy revoked after the last trial": {
			run: MakeRun().Ours().Planned(2).JobComplete().Reported(result.StateComplete).Results(2).
				Refused(v1alpha1.ReasonNoPolicy, "A policy is needed.", true).Obj(),
			want: decision{state: nodeComplete, message: "All 2 trials are done."},
		},
		"node lost": {
			run: MakeRun().Node(nil).Ours().Planned(2).Job().Reported(result.StateRunning).Obj(),
			want: failed(v1alpha1.ReasonNodeLost,
				"The node was removed from the cluster, or replaced, while the benchmark ran there."),
		},
		"node given up": {
			run: MakeRun().Ours().Planned(2).Job().Reported(result.StateRunning).With(func(n *nodeRun) {
				n.abandoned = true
			}).Obj(),
			want: failed(v1alpha1.ReasonNodeLost, "The node was given up with the annotation zfsbench.io/abandon-nodes."),
		},
		"garbage in progress": {
			run:  MakeRun().Ours().Planned(2).Job().With(func(n *nodeRun) { n.recordsError = errors.New("read it: bad") }).Obj(),
			want: failed(v1alpha1.ReasonResultsUnreadable, "The records of the run cannot be used: read it: bad."),
		},
		"garbage in results": {
			run:  MakeRun().Ours().Planned(2).Job().With(func(n *nodeRun) { n.resultsError = errors.New("read it: bad") }).Obj(),
			want: failed(v1alpha1.ReasonResultsUnreadable, "A result cannot be used: read it: bad."),
		},
		"image does not come": {
			run: MakeRun().Ours().Planned(2).Job().Pod(1, waitingFor("ImagePullBackOff", "no such image")).Obj(),
			want: decision{state: nodeRunning, message: "pod pod-0 waits: ImagePullBackOff: no such image.",
				requeueAfter: 4 * time.Minute},
		},
		"image never came": {
			run: MakeRun().Ours().Planned(2).Job().Pod(6, waitingFor("ImagePullBackOff", "no such image")).Obj(),
			want: failed(v1alpha1.ReasonRunnerFailed,
				"The runner does not start: pod pod-0 waits: ImagePullBackOff: no such image."),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			compareDecisions(t, tt.want, decide(tt.run, request{suspend: tt.suspend, now: testNow()}))
		})
	}
}
