// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

func TestReportedFailure(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(node.Name).Repetitions(2).Obj())
	r := p.runner(b, "storage-0")
	r.trial(0)
	r.report(result.StateFailed, func(pr *result.Progress) {
		pr.Completed, pr.Failed = 1, 1
		pr.Failure = &result.Failure{Reason: v1alpha1.ReasonWorkloadFailed,
			Message: "Workload seq-write failed: no space left on device."}
	})
	r.endJob(jobspec.RunJobName(r.run.Base()), batchv1.JobComplete, "")
	now := p.waitCondition(b, v1alpha1.ConditionFailed, metav1.ConditionTrue, v1alpha1.ReasonWorkloadFailed,
		"no space left on device", node.Name)
	if !isTrue(&now.Status, v1alpha1.ConditionFinished) || len(now.Status.Results) != 1 {
		t.Errorf("finished with results %v: %s", now.Status.Results, describeConditions(now))
	}
	if got := now.Status.Summary.Progress; got != "2/2 (1 failed)" {
		t.Errorf("progress column = %q", got)
	}
	p.waitReleased(node)
	p.waitEvent(b, v1alpha1.ReasonWorkloadFailed)
	// The evidence of a failure stays.
	r.job(jobspec.RunJobName(r.run.Base()))
}

// A runner that dies with something on the node: the outcome is its last words, and the node is cleaned before anybody
// else gets it.
func TestCrashIsCleanedUp(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(node.Name).Obj())
	r := p.runner(b, "storage-0")
	run, cleanup := jobspec.RunJobName(r.run.Base()), jobspec.CleanupJobName(r.run.Base())
	r.report(result.StateRunning, nil)
	r.own()
	status := corev1.PodStatus{}
	diedOf("Out of memory.")(&status)
	r.pod(run, status)
	r.endJob(run, batchv1.JobFailed, "Job has reached the specified backoff limit")
	r.waitJob(cleanup)
	p.waitCondition(b, v1alpha1.ConditionRunning, metav1.ConditionTrue, v1alpha1.ReasonRunning, "being removed")
	if p.lease(node) == nil {
		t.Error("the node was given back before it was clean")
	}
	r.report(result.StateCleaned, nil)
	r.disown()
	r.endJob(cleanup, batchv1.JobComplete, "")
	p.waitCondition(b, v1alpha1.ConditionFailed, metav1.ConditionTrue, v1alpha1.ReasonRunnerFailed, "Out of memory.",
		"backoff limit")
	p.waitReleased(node)
}

// waitJob waits until a Job exists.
func (r *runner) waitJob(name string) {
	r.t.Helper()
	eventually(r.t, func() error { return r.Get(r.t.Context(), r.key(name), &batchv1.Job{}) })
}

// A cleanup that fails keeps the node: the next benchmark must not meet what is left.
func TestFailedCleanupKeepsTheNode(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(node.Name).Obj())
	r := p.runner(b, "storage-0")
	run, cleanup := jobspec.RunJobName(r.run.Base()), jobspec.CleanupJobName(r.run.Base())
	r.own()
	r.endJob(run, batchv1.JobFailed, "Job has reached the specified backoff limit")
	r.waitJob(cleanup)
	r.endJob(cleanup, batchv1.JobFailed, "Job has reached the specified backoff limit")
	p.waitCondition(b, v1alpha1.ConditionFailed, metav1.ConditionTrue, v1alpha1.ReasonCleanupFailed, "did not confirm")
	if p.lease(node) == nil {
		t.Error("the node was given back although it is not clean")
	}
	next := p.create(MakeBenchmark(p.namespace, "next").Node(node.Name).Obj())
	p.waitCondition(next, v1alpha1.ConditionRunning, metav1.ConditionFalse, v1alpha1.ReasonQueued,
		"could not be cleaned up")
}

func TestImageThatNeverComes(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(node.Name).Obj())
	r := p.runner(b, "storage-0")
	run := jobspec.RunJobName(r.run.Base())
	status := corev1.PodStatus{}
	waitingFor("InvalidImageName", `couldn't parse image name "::"`)(&status)
	r.pod(run, status)
	r.endDeletion(run)
	p.waitCondition(b, v1alpha1.ConditionFailed, metav1.ConditionTrue, v1alpha1.ReasonRunnerFailed, "InvalidImageName",
		"couldn't parse image name")
	p.waitReleased(node)
}

func TestImageThatMayStillCome(t *testing.T) {
	p := newPlay(t)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(p.node("storage-0", nil).Name).Obj())
	r := p.runner(b, "storage-0")
	status := corev1.PodStatus{}
	waitingFor("ImagePullBackOff", "the registry does not answer")(&status)
	r.pod(jobspec.RunJobName(r.run.Base()), status)
	p.waitCondition(b, v1alpha1.ConditionRunning, metav1.ConditionTrue, v1alpha1.ReasonStarting, "ImagePullBackOff",
		"the registry does not answer")
}

func TestUnreadableResults(t *testing.T) {
	tests := map[string]func(r *runner){
		"a trial that is none": func(r *runner) { r.rawTrial(0, []byte("no gzip")) },
		"progress that is none": func(r *runner) {
			r.patchDocument(jobspec.ProgressName(r.run.Base()), map[string]any{"data": map[string]any{jobspec.KeyProgress: "{"}})
		},
	}
	for name, write := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t)
			node := p.node("storage-0", nil)
			b := p.create(MakeBenchmark(p.namespace, "files").Node(node.Name).Obj())
			r := p.runner(b, "storage-0")
			write(r)
			run := jobspec.RunJobName(r.run.Base())
			r.waitDeleting(run)
			r.endInterrupted(run)
			p.waitCondition(b, v1alpha1.ConditionFailed, metav1.ConditionTrue, v1alpha1.ReasonResultsUnreadable)
			p.waitReleased(node)
		})
	}
}

func TestNodeLost(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(node.Name).Obj())
	r := p.runner(b, "storage-0")
	r.report(result.StateRunning, nil)
	r.own()
	p.must(p.Delete(t.Context(), node))
	r.endDeletion(jobspec.RunJobName(r.run.Base()))
	p.waitCondition(b, v1alpha1.ConditionFailed, metav1.ConditionTrue, v1alpha1.ReasonNodeLost)
	p.waitReleased(node)
	p.waitEvent(b, v1alpha1.ReasonNodeAbandoned)
}

func TestPolicyRevokedWhileRunning(t *testing.T) {
	t.Run("the policy", func(t *testing.T) {
		revokedWhileRunning(t, testDisk, func(p *play, policy *v1alpha1.BenchmarkDevicePolicy) {
			p.must(p.Delete(t.Context(), policy))
		})
	})
	t.Run("a module parameter", func(t *testing.T) {
		revokedWhileRunning(t, "zfs_txg_timeout", func(p *play, policy *v1alpha1.BenchmarkDevicePolicy) {
			policy.Spec.ModuleParameters = []string{"zfs_arc_max"}
			p.updatePolicy(policy)
		})
	})
	t.Run("a StorageClass", func(t *testing.T) {
		revokedWhileRunning(t, "claim volumes of the StorageClasses", func(p *play, policy *v1alpha1.BenchmarkDevicePolicy) {
			p.allowClass(policy, "another", "1Gi")
		})
	})
	t.Run("a PersistentVolumeClaim", func(t *testing.T) {
		revokedWhileRunning(t, "read the PersistentVolumeClaim", func(p *play, policy *v1alpha1.BenchmarkDevicePolicy) {
			policy.Spec.PersistentVolumeClaims = nil
			p.updatePolicy(policy)
		})
	})
}

// revokedWhileRunning takes back consent to a disk, a module parameter, a StorageClass or a PersistentVolumeClaim that
// a running benchmark uses.
func revokedWhileRunning(t *testing.T, lacks string, revoke func(*play, *v1alpha1.BenchmarkDevicePolicy)) {
	t.Helper()
	p := newPlay(t)
	node := p.node("storage-0", nil)
	policy := p.policy(node)
	policy.Spec.ModuleParameters = []string{"zfs_txg_timeout"}
	policy.Spec.PersistentVolumeClaims = []string{p.corpusClaim(p.namespace, corev1.PersistentVolumeFilesystem).Name}
	p.allowClass(policy, p.class(p.namespace).Name, "1Gi")
	b := MakeBenchmark(p.namespace, "disk").Node(node.Name).Disk(testDisk).OnClass(p.namespace,
		"1Gi").Corpora(p.namespace).Obj()
	b.Spec.ModuleParameters = v1alpha1.ModuleParameters{"zfs_txg_timeout": "7"}
	b = p.create(b)
	r := p.runner(b, "storage-0")
	r.report(result.StateRunning, nil)
	r.own()
	revoke(p, policy)
	run := jobspec.RunJobName(r.run.Base())
	r.pod(run, corev1.PodStatus{Phase: corev1.PodRunning})
	// The runner is told to stop, tears down and says so; the Job goes when its pod has ended.
	r.waitDeleting(run)
	r.disown()
	if isTrue(&p.get(b).Status, v1alpha1.ConditionFailed) || p.lease(node) == nil {
		t.Error("the benchmark ended before its pod did")
	}
	r.endInterrupted(run)
	p.waitCondition(b, v1alpha1.ConditionFailed, metav1.ConditionTrue, v1alpha1.ReasonPolicyRevoked, lacks)
	p.waitReleased(node)
}

// waitDeleting waits until a Job is being deleted.
func (r *runner) waitDeleting(name string) {
	r.t.Helper()
	eventually(r.t, func() error {
		if job := r.job(name); job.DeletionTimestamp == nil {
			return fmt.Errorf("Job %s is not being deleted", name)
		}
		return nil
	})
}
