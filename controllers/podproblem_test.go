// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestPodProblem(t *testing.T) {
	unschedulable := func(s *corev1.PodStatus) {
		s.Phase = corev1.PodPending
		s.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
			Message: "0/1 nodes are available."}}
	}
	noPod := "Job zb-runner has no pod yet; `kubectl -n zfsbench-runners describe job zb-runner` says why."
	// unprepared is a pod whose node has worked at its volumes for minutes.
	unprepared := func(minutes int, phase corev1.PodPhase) func(*corev1.PodStatus) {
		return func(s *corev1.PodStatus) {
			waitingFor("ContainerCreating", "")(s)
			s.Phase = phase
			s.Conditions = []corev1.PodCondition{
				{Type: corev1.PodScheduled, Status: corev1.ConditionTrue},
				{Type: corev1.PodReadyToStartContainers, Status: corev1.ConditionFalse,
					LastTransitionTime: metav1.NewTime(testNow().Add(-time.Duration(minutes) * time.Minute))},
			}
		}
	}
	troubled := func(n *nodeRun) { n.podWarning = "FailedMount: no such export." }
	tests := map[string]struct {
		run  *nodeRun
		want problem
	}{
		"runs":          {MakeRun().Job().Pod(9, nil).Obj(), problem{}},
		"is being made": {MakeRun().Job().Pod(9, waitingFor("ContainerCreating", "")).Obj(), problem{}},
		"has no pod":    {MakeRun().Job().Obj(), problem{message: noPod, requeueAfter: 4 * time.Minute}},
		"has no pod just yet": {MakeRun().Job().With(func(n *nodeRun) {
			n.job.CreationTimestamp = metav1.NewTime(testNow().Add(-5 * time.Second))
		}).Obj(), problem{requeueAfter: 10 * time.Second}},
		"the newest counts": {MakeRun().Job().Pod(9, waitingFor("ErrImagePull", "x")).Pod(1, nil).Obj(), problem{}},
		"bad image name": {
			MakeRun().Job().Pod(0, waitingFor("InvalidImageName", "x")).Obj(),
			problem{message: "pod pod-0 waits: InvalidImageName: x.", fatal: true},
		},
		"no room": {
			MakeRun().Job().Pod(2, unschedulable).Obj(),
			problem{message: "pod pod-0 cannot be scheduled: 0/1 nodes are available.", requeueAfter: 3 * time.Minute},
		},
		"no room for long": {
			MakeRun().Job().Pod(5, unschedulable).Obj(),
			problem{message: "pod pod-0 cannot be scheduled: 0/1 nodes are available.", fatal: true},
		},
		"cordoned for long": {
			MakeRun().Node(MakeNode("storage-0").Cordoned().Obj()).Job().Pod(50, unschedulable).Obj(),
			problem{message: "pod pod-0 cannot be scheduled: 0/1 nodes are available."},
		},
		"not Ready for long": {
			MakeRun().Node(MakeNode("storage-0").NotReady().Obj()).Job().Pod(50, unschedulable).Obj(),
			problem{message: "pod pod-0 cannot be scheduled: 0/1 nodes are available."},
		},
		"Ready again only now": {
			MakeRun().Job().Pod(50, unschedulable).With(func(n *nodeRun) {
				n.node.Status.Conditions[0].LastTransitionTime = metav1.NewTime(testNow())
			}).Obj(),
			problem{message: "pod pod-0 cannot be scheduled: 0/1 nodes are available.", requeueAfter: 5 * time.Minute},
		},
		"a volume is being mounted": {MakeRun().Job().Pod(9, unprepared(0, corev1.PodPending)).Obj(),
			problem{requeueAfter: 15 * time.Second}},
		"a volume cannot be mounted": {
			MakeRun().Job().Pod(9, unprepared(1, corev1.PodPending)).With(troubled).Obj(),
			problem{message: "pod pod-0 is not set up by its node: FailedMount: no such export.",
				requeueAfter: 14 * time.Minute},
		},
		"a volume cannot be mounted for long": {
			MakeRun().Job().Pod(29, unprepared(15, corev1.PodPending)).With(troubled).Obj(),
			problem{message: "pod pod-0 is not set up by its node: FailedMount: no such export.", fatal: true},
		},
		"not set up, without a word": {
			MakeRun().Job().Pod(9, unprepared(1, corev1.PodPending)).Obj(),
			problem{message: "pod pod-0 is not set up by its node; `kubectl -n zfsbench-runners describe pod pod-0` says why.",
				requeueAfter: 14 * time.Minute},
		},
		"the node's clock is behind": {MakeRun().Job().Pod(0, unprepared(15, corev1.PodPending)).With(troubled).Obj(),
			problem{requeueAfter: 15 * time.Second}},
		"a cleanup whose pod is not set up for long": {
			MakeRun().Job().Pod(29, unprepared(15, corev1.PodPending)).With(troubled).With(func(n *nodeRun) {
				n.cleanup = n.job
			}).Obj(),
			problem{message: "pod pod-0 is not set up by its node: FailedMount: no such export.",
				requeueAfter: 15 * time.Second},
		},
		"nothing is set up any more": {MakeRun().Job().Pod(9, unprepared(5, corev1.PodSucceeded)).Obj(), problem{}},
		"failed, tried again": {
			MakeRun().Job().Pod(1, diedOf("no journal.")).Obj(),
			problem{message: "pod pod-0 failed: no journal; the Job tries again."},
		},
		"failed without words": {
			MakeRun().Job().Pod(1, diedOf("")).Obj(),
			problem{message: "pod pod-0 failed: exit code 1, Error; the Job tries again."},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := tt.run.podProblem(tt.run.job, testNow())
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(problem{})); diff != "" {
				t.Errorf("problem (-want +got):\n%s", diff)
			}
		})
	}
}
