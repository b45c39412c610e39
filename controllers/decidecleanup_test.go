// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

func TestDecideCleanup(t *testing.T) {
	const removing = "What the runner left on storage-0 is being removed."
	unconfirmed := "The cleanup on storage-0 did not confirm that everything is gone."
	longAgo := func(n *nodeRun) {
		n.cleanup.Status.Conditions[0].LastTransitionTime = metav1.NewTime(testNow().Add(-time.Hour))
	}
	stuck := "The runner's pod on storage-0 does not end: a process that waits in the kernel, for example for a pool " +
		"without devices, ends only with a reboot of the node."
	// pod is told to end, with a grace that ends so much later than now.
	pod := func(left, grace time.Duration) runBuilder {
		return MakeRun().Ours().Planned(1).JobDeleting().Pod(1, nil).Reported(result.StateRunning).With(func(n *nodeRun) {
			n.pods[0].DeletionTimestamp = ptr.To(metav1.NewTime(testNow().Add(left)))
			n.pods[0].DeletionGracePeriodSeconds = ptr.To(int64(grace.Seconds()))
		})
	}
	tests := map[string]struct {
		run      *nodeRun
		deleting bool
		want     cleanupStep
	}{
		"nothing was made": {run: MakeRun().Obj(), want: cleanupStep{done: true}},
		"only the lease": {run: MakeRun().Ours().Obj(),
			want: cleanupStep{do: doRelease, note: "Releasing storage-0."}},
		"plan, but no runner reported": {run: MakeRun().Ours().Planned(1).Obj(),
			want: cleanupStep{do: doRelease, note: "Releasing storage-0."}},
		"runner at work": {run: MakeRun().Ours().Planned(1).Job().Pod(1,
			nil).Reported(result.StateRunning).Owned().Obj(),
			want: cleanupStep{do: doDeleteJob, note: "The runner on storage-0 is being stopped."}},
		"Job going": {run: MakeRun().Ours().Planned(1).JobDeleting().Pod(1, nil).Obj(),
			want: cleanupStep{note: "Waiting for the runner's pod on storage-0 to end."}},
		"Job gone, pod still there": {run: MakeRun().Ours().Planned(1).Pod(1, nil).Obj(),
			want: cleanupStep{note: "Waiting for the runner's pod on storage-0 to end."}},
		"pod going": {run: pod(0, 0).Obj(),
			want: cleanupStep{note: "Waiting for the runner's pod on storage-0 to end.", requeueAfter: time.Minute}},
		"pod does not end": {run: pod(-time.Minute, 0).Obj(), want: cleanupStep{failure: stuck}},
		"pod does not end, deleting": {run: pod(-time.Minute, 0).Obj(), deleting: true,
			want: cleanupStep{note: stuck, requeueAfter: endPatience}},
		"pod has grace": {run: pod(0, 2*time.Minute).Obj(),
			want: cleanupStep{note: "Waiting for the runner's pod on storage-0 to end.", requeueAfter: time.Minute}},
		"pod needs no grace": {run: pod(0, 2*time.Minute).ReportedFailure(v1alpha1.ReasonPoolSuspended,
			"Gone.").Obj(), want: cleanupStep{failure: stuck}},
		"pod on a node that is away": {run: pod(-time.Minute, 0).Node(MakeNode("storage-0").NotReady().Obj()).Obj(),
			want: cleanupStep{note: "Waiting for the runner's pod on storage-0 to end."}},
		"complete": {run: MakeRun().Ours().Planned(1).JobComplete().Reported(result.StateComplete).Obj(),
			want: cleanupStep{do: doRelease, note: "Releasing storage-0."}},
		"complete and given back": {run: MakeRun().Planned(1).JobComplete().Reported(result.StateComplete).Obj(),
			want: cleanupStep{done: true}},
		"killed between trials": {run: MakeRun().Ours().Planned(1).JobFailed("",
			"").Reported(result.StateRunning).Obj(), want: cleanupStep{do: doCleanup, note: removing}},
		"complete, yet something owned": {run: MakeRun().Ours().Planned(1).JobComplete().Reported(result.StateComplete).
			Owned().Obj(), want: cleanupStep{do: doCleanup, note: removing}},
		"progress unreadable": {
			run:  MakeRun().Ours().Planned(1).JobComplete().With(func(n *nodeRun) { n.recordsError = errors.New("bad") }).Obj(),
			want: cleanupStep{do: doCleanup, note: removing},
		},
		"plan unreadable": {
			run:  MakeRun().Ours().With(func(n *nodeRun) { n.recordsError = errors.New("bad") }).Obj(),
			want: cleanupStep{failure: "The plan for storage-0 cannot be read (bad), so what it left there cannot be removed."},
		},
		"cleaning up": {run: MakeRun().Ours().Planned(1).Owned().Cleanup().Pod(1, nil).Obj(),
			want: cleanupStep{note: removing}},
		"cleaned, pod not ended": {run: MakeRun().Ours().Planned(1).Reported(result.StateCleaned).Cleanup().Pod(1, nil).Obj(),
			want: cleanupStep{note: "Waiting for the cleanup's pod on storage-0 to end."}},
		"cleaned": {run: MakeRun().Ours().Planned(1).Reported(result.StateCleaned).CleanupEnded(batchv1.JobComplete).Obj(),
			want: cleanupStep{do: doRelease, note: "Releasing storage-0."}},
		"cleanup failed": {
			run:  MakeRun().Ours().Planned(1).Owned().CleanupEnded(batchv1.JobFailed).Pod(1, diedOf("pool busy.")).Obj(),
			want: cleanupStep{failure: unconfirmed + " Its pod's last message: pool busy."},
		},
		"cleanup failed and reported": {
			run: MakeRun().Ours().Planned(1).Owned().ReportedFailure(v1alpha1.ReasonCleanupFailed,
				"Pool is busy.").CleanupEnded(batchv1.JobComplete).Obj(),
			want: cleanupStep{failure: unconfirmed + " It says: Pool is busy."},
		},
		"cleanup cannot start": {
			run:  MakeRun().Ours().Planned(1).Owned().Cleanup().Pod(9, waitingFor("ErrImagePull", "gone")).Obj(),
			want: cleanupStep{failure: "The cleanup on storage-0 does not start: pod pod-0 waits: ErrImagePull: gone."},
		},
		"cleanup cannot start, deleting": {
			run: MakeRun().Ours().Planned(1).Owned().Cleanup().Pod(9, waitingFor("ErrImagePull", "gone")).Obj(), deleting: true,
			want: cleanupStep{note: "The cleanup on storage-0 waits: pod pod-0 waits: ErrImagePull: gone."},
		},
		"cleanup failed just now, deleting": {
			run: MakeRun().Ours().Planned(1).Owned().CleanupEnded(batchv1.JobFailed).Obj(), deleting: true,
			want: cleanupStep{note: unconfirmed + " It is tried again.", requeueAfter: time.Minute},
		},
		"cleanup failed, deleting": {
			run: MakeRun().Ours().Planned(1).Owned().CleanupEnded(batchv1.JobFailed).With(longAgo).Obj(), deleting: true,
			want: cleanupStep{do: doDeleteCleanup, note: unconfirmed + " It is tried again."},
		},
		"suspended: the journal goes too": {
			run:  MakeRun().Planned(1).Reported(result.StateSuspended).Obj(),
			want: cleanupStep{do: doCleanup, note: removing},
		},
		"interrupted: the journal goes too": {
			run:  MakeRun().Planned(1).ReportedFailure(v1alpha1.ReasonInterrupted, "SIGTERM.").Obj(),
			want: cleanupStep{do: doCleanup, note: removing},
		},
		"failed": {
			run:  MakeRun().Ours().Planned(1).JobComplete().ReportedFailure(v1alpha1.ReasonWorkloadFailed, "fio.").Obj(),
			want: cleanupStep{do: doRelease, note: "Releasing storage-0."},
		},
		"suspended, deleting while another benchmark runs there": {
			run: MakeRun().Ours().Planned(1).Reported(result.StateSuspended).Cleanup().Pod(1, nil).With(func(n *nodeRun) {
				n.ours = false
			}).Obj(), deleting: true,
			want: cleanupStep{note: "The cleanup on storage-0 starts when the benchmark that runs there has ended."},
		},
		"waited for another runner, and touched nothing": {
			run:  MakeRun().Ours().Planned(1).JobFailed("", "").Waiting("another runner on this node to end").Obj(),
			want: cleanupStep{do: doRelease, note: "Releasing storage-0."},
		},
		"the cleanup waits for another runner": {
			run: MakeRun().Ours().Planned(1).Reported(result.StateRunning).Owned().Cleanup().Pod(1, nil).
				With(func(n *nodeRun) { n.progress.Waiting = "another runner on this node to end" }).Obj(),
			want: cleanupStep{note: "The cleanup on storage-0 waits for another runner on this node to end."},
		},
		"node lost": {
			run:  MakeRun().Node(nil).Ours().Planned(1).Job().Owned().Obj(),
			want: cleanupStep{do: doDeleteJob, note: "The runner on storage-0 is being stopped."},
		},
		"node lost, its pod may still run": {
			run: MakeRun().Node(nil).Ours().Planned(1).Pod(1, nil).Owned().Obj(),
			want: cleanupStep{note: "Node storage-0 no longer exists, but its kubelet may register again: storage-0 is given " +
				"up when the pod there is gone. " +
				"Kubernetes removes the pods of such a node within two minutes."},
		},
		"node lost, no pod": {
			run:  MakeRun().Node(nil).Ours().Planned(1).Owned().Obj(),
			want: cleanupStep{do: doAbandon, note: "Giving up storage-0."},
		},
		"node lost and given up": {
			run:  MakeRun().Node(nil).Planned(1).Owned().Obj(),
			want: cleanupStep{done: true},
		},
		"node replaced, its pod may still run": {
			run: MakeRun().Replaced(MakeNode("storage-0").Obj()).Ours().Planned(1).JobDeleting().Pod(1, nil).Owned().Obj(),
			want: cleanupStep{note: "Node storage-0 was replaced by another one of this name, whose kubelet may still run the " +
				"runner's pod: " +
				"storage-0 is given up when the pod there has ended. If that machine is off for good, " +
				"`kubectl taint node storage-0 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`."},
		},
		"node replaced, its pod has ended": {
			run: MakeRun().Replaced(MakeNode("storage-0").Obj()).Ours().Planned(1).JobFailed("", "").Pod(1,
				diedOf("")).Owned().Obj(),
			want: cleanupStep{do: doAbandon, note: "Giving up storage-0."},
		},
		"node replaced and out of service": {
			run: MakeRun().Replaced(MakeNode("storage-0").OutOfService().Obj()).Ours().Planned(1).Job().Pod(1,
				nil).Owned().Obj(),
			want: cleanupStep{do: doAbandon, note: "Giving up storage-0."},
		},
		"node abandoned": {
			run: MakeRun().Ours().Planned(1).Job().Pod(1, nil).Owned().
				With(func(n *nodeRun) { n.abandoned = true }).Obj(),
			want: cleanupStep{do: doDeleteJob, note: "The runner on storage-0 is being stopped."},
		},
		"node abandoned while its cleanup runs": {
			run: MakeRun().Ours().Planned(1).Cleanup().Pod(1, nil).Owned().
				With(func(n *nodeRun) { n.abandoned = true }).Obj(), deleting: true,
			want: cleanupStep{do: doDeleteCleanup, note: "The cleanup on storage-0 is being stopped."},
		},
		"node abandoned, its pod may still run": {
			run: MakeRun().Node(MakeNode("storage-0").NotReady().Obj()).Ours().Planned(1).JobDeleting().Pod(1, nil).Owned().
				With(func(n *nodeRun) { n.abandoned = true }).Obj(), deleting: true,
			want: cleanupStep{note: "storage-0 is given up when the pod there has ended. If its machine is off for good, " +
				"delete the Node object, " +
				"or `kubectl taint node storage-0 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`."},
		},
		"node abandoned, its pod has ended": {
			run: MakeRun().Ours().Planned(1).JobFailed("", "").Pod(1, diedOf("")).Owned().
				With(func(n *nodeRun) { n.abandoned = true }).Obj(),
			want: cleanupStep{do: doAbandon, note: "Giving up storage-0."},
		},
		"node abandoned and out of service": {
			run: MakeRun().Node(MakeNode("storage-0").NotReady().OutOfService().Obj()).Ours().Planned(1).JobDeleting().Pod(1,
				nil).Owned().
				With(func(n *nodeRun) { n.abandoned = true }).Obj(), deleting: true,
			want: cleanupStep{do: doAbandon, note: "Giving up storage-0."},
		},
		"out of service, and not abandoned": {
			run: MakeRun().Node(MakeNode("storage-0").NotReady().OutOfService().Obj()).Ours().Planned(1).Job().Pod(1,
				nil).Owned().
				Obj(), deleting: true,
			want: cleanupStep{do: doDeleteJob, note: "The runner on storage-0 is being stopped."},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := decideCleanup(tt.run, testNow(), tt.deleting)
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(cleanupStep{})); diff != "" {
				t.Errorf("cleanup (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecideAfterOutcomeKeepsTheOutcome(t *testing.T) {
	status := v1alpha1.NodeStatus{State: nodeFailed, Reason: v1alpha1.ReasonWorkloadFailed, Message: "fio failed."}
	tests := map[string]struct {
		run  *nodeRun
		want decision
	}{
		"cleaning up": {
			run:  MakeRun().Ours().Planned(1).JobComplete().Owned().Obj(),
			want: decision{state: nodeFailed, reason: v1alpha1.ReasonWorkloadFailed, message: "fio failed.", do: doCleanup},
		},
		"cleaned": {
			run:  MakeRun().Planned(1).Reported(result.StateCleaned).Obj(),
			want: decision{state: nodeFailed, reason: v1alpha1.ReasonWorkloadFailed, message: "fio failed."},
		},
		"cleanup failed": {
			run: MakeRun().Ours().Planned(1).Owned().CleanupEnded(batchv1.JobFailed).Obj(),
			want: decision{state: nodeFailed, reason: v1alpha1.ReasonCleanupFailed,
				message: "fio failed. The cleanup on storage-0 did not confirm that everything is gone."},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, _ := decideAfterOutcome(tt.run, status, testNow())
			compareDecisions(t, tt.want, got)
			again, _ := decideAfterOutcome(tt.run,
				v1alpha1.NodeStatus{State: got.state, Reason: got.reason, Message: got.message}, testNow())
			compareDecisions(t, tt.want, again)
		})
	}
}
