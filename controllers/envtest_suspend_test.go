// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

// setSuspend changes spec.suspend.
func (p *play) setSuspend(b *v1alpha1.ZfsBenchmark, suspend bool) {
	p.t.Helper()
	before := p.get(b)
	after := before.DeepCopy()
	after.Spec.Suspend = suspend
	p.must(p.Patch(p.t.Context(), after, client.MergeFrom(before)))
}

// waitAsked waits until the runner is asked to suspend, or no longer.
func (r *runner) waitAsked(want bool) {
	r.t.Helper()
	eventually(r.t, func() error {
		var progress corev1.ConfigMap
		if err := r.Get(r.t.Context(), r.key(jobspec.ProgressName(r.run.Base())), &progress); err != nil {
			return err
		}
		if got := progress.Annotations[jobspec.AnnotationSuspend] == "true"; got != want {
			return fmt.Errorf("asked to suspend is %v, want %v", got, want)
		}
		return nil
	})
}

// suspended suspends a running benchmark and plays the runner's part.
func (p *play) suspended(b *v1alpha1.ZfsBenchmark) *runner {
	p.t.Helper()
	r := p.runner(b, "storage-0")
	run := jobspec.RunJobName(r.run.Base())
	r.trial(0)
	r.report(result.StateRunning, func(pr *result.Progress) { pr.Completed = 1 })
	p.setSuspend(b, true)
	r.waitAsked(true)
	r.report(result.StateSuspended, func(pr *result.Progress) { pr.Completed = 1 })
	r.endJob(run, batchv1.JobComplete, "")
	r.endDeletion(run)
	p.waitPhase(b, v1alpha1.PhaseSuspended)
	return r
}

func TestSuspendAndResume(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(node.Name).Repetitions(2).Obj())
	r := p.suspended(b)
	p.waitReleased(node)
	p.waitCondition(b, v1alpha1.ConditionRunning, metav1.ConditionFalse, v1alpha1.ReasonSuspended, "between two trials")

	// Meanwhile the node is free for others.
	other := p.create(MakeBenchmark(p.namespace, "other").Node(node.Name).Obj())
	ro := p.runner(other, "storage-0")
	p.setSuspend(b, false)
	p.waitCondition(b, v1alpha1.ConditionRunning, metav1.ConditionFalse, v1alpha1.ReasonQueued, p.namespace+"/other")
	ro.complete()

	// It goes on with the same plan, in a new Job that is not asked to suspend.
	r.waitJob(jobspec.RunJobName(r.run.Base()))
	r.waitAsked(false)
	r.complete()
	now := p.waitPhase(b, v1alpha1.PhaseComplete)
	if got := now.Status.Progress.Trials; got.Total != 2 || got.Completed != 2 {
		t.Errorf("trials = %+v", got)
	}
}

func TestSuspendBeforeTheStart(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(node.Name).Suspend().Obj())
	p.waitCondition(b, v1alpha1.ConditionRunning, metav1.ConditionFalse, v1alpha1.ReasonSuspended, "before the start")
	if p.lease(node) != nil {
		t.Error("a suspended benchmark holds the node")
	}
	p.setSuspend(b, false)
	p.runner(b, "storage-0")
}

// TestRunnerSuspendsItself ends, or it would be started again for ever.
func TestRunnerSuspendsItself(t *testing.T) {
	p := newPlay(t)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(p.node("storage-0", nil).Name).Repetitions(2).Obj())
	r := p.suspended(b)
	p.setSuspend(b, false)
	run := jobspec.RunJobName(r.run.Base())
	r.waitJob(run)
	r.waitAsked(false)
	r.report(result.StateSuspended, func(pr *result.Progress) { pr.Completed = 1 })
	r.endJob(run, batchv1.JobComplete, "")
	cleanup := jobspec.CleanupJobName(r.run.Base())
	r.waitJob(cleanup)
	r.report(result.StateCleaned, nil)
	r.endJob(cleanup, batchv1.JobComplete, "")
	p.waitCondition(b, v1alpha1.ConditionFailed, metav1.ConditionTrue, v1alpha1.ReasonRunnerFailed, "nobody requested")
}

func TestResumeBeforeTheRunnerStopped(t *testing.T) {
	p := newPlay(t)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(p.node("storage-0", nil).Name).Repetitions(2).Obj())
	r := p.runner(b, "storage-0")
	r.report(result.StateRunning, nil)
	p.setSuspend(b, true)
	r.waitAsked(true)
	p.setSuspend(b, false)
	r.waitAsked(false)
	r.complete()
	p.waitPhase(b, v1alpha1.PhaseComplete)
}
