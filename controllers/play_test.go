// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// play is one test's part of the cluster: a namespace, nodes and what a kubelet, a Job controller, a garbage collector
// and a runner would do.
type play struct {
	*cluster
	t         *testing.T
	namespace string
}

func newPlay(t *testing.T) *play {
	t.Helper()
	p := &play{cluster: testCluster(t), t: t}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	p.must(p.Create(t.Context(), ns))
	p.namespace = ns.Name
	return p
}

func (p *play) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// nodeName is a name of the test's own.
func (p *play) nodeName(name string) string { return p.namespace + "-" + name }

// node creates a Ready node that allows benchmarks, changed by the function if there is one.
func (p *play) node(name string, change func(*corev1.Node)) *corev1.Node {
	p.t.Helper()
	node := MakeNode(p.nodeName(name)).Obj()
	node.UID = ""
	status := node.Status
	if change != nil {
		change(node)
	}
	p.must(p.Create(p.t.Context(), node))
	node.Status = status
	p.must(p.Status().Update(p.t.Context(), node))
	return node
}

// create creates a benchmark.
func (p *play) create(b *v1alpha1.ZfsBenchmark) *v1alpha1.ZfsBenchmark {
	p.t.Helper()
	p.must(p.Create(p.t.Context(), b))
	return b
}

// get reads the benchmark again.
func (p *play) get(b *v1alpha1.ZfsBenchmark) *v1alpha1.ZfsBenchmark {
	p.t.Helper()
	var now v1alpha1.ZfsBenchmark
	p.must(p.Get(p.t.Context(), client.ObjectKeyFromObject(b), &now))
	return &now
}

// waitCondition waits until a condition has status and reason, and its message every one of the words.
func (p *play) waitCondition(
	b *v1alpha1.ZfsBenchmark, kind string, status metav1.ConditionStatus, reason string, words ...string,
) *v1alpha1.ZfsBenchmark {
	p.t.Helper()
	var now *v1alpha1.ZfsBenchmark
	eventually(p.t, func() error {
		now = p.get(b)
		c := meta.FindStatusCondition(now.Status.Conditions, kind)
		if c == nil || c.Status != status || c.Reason != reason {
			return fmt.Errorf("want %s=%s/%s, have conditions %s", kind, status, reason, describeConditions(now))
		}
		for _, word := range words {
			if !strings.Contains(c.Message, word) {
				return fmt.Errorf("%s says %q, want it to name %q", kind, c.Message, word)
			}
		}
		return nil
	})
	return now
}

func describeConditions(b *v1alpha1.ZfsBenchmark) string {
	var text []string
	for _, c := range b.Status.Conditions {
		text = append(text, fmt.Sprintf("%s=%s/%s (%s)", c.Type, c.Status, c.Reason, c.Message))
	}
	return strings.Join(text, "; ")
}

// waitPhase waits for the print column.
func (p *play) waitPhase(b *v1alpha1.ZfsBenchmark, phase string) *v1alpha1.ZfsBenchmark {
	p.t.Helper()
	var now *v1alpha1.ZfsBenchmark
	eventually(p.t, func() error {
		if now = p.get(b); now.Status.Phase != phase {
			return fmt.Errorf("phase is %q, want %q: %s", now.Status.Phase, phase, describeConditions(now))
		}
		return nil
	})
	return now
}

// waitGone waits until an object does not exist.
func (p *play) waitGone(object client.Object) {
	p.t.Helper()
	eventually(p.t, func() error {
		err := p.Get(p.t.Context(), client.ObjectKeyFromObject(object), object)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		return fmt.Errorf("%T %s still exists, finalizers %v, deleted %v",
			object, object.GetName(), object.GetFinalizers(), object.GetDeletionTimestamp())
	})
}

// runner plays a runner and its Job controller for one node.
type runner struct {
	*play
	run jobspec.Run
}

// runner waits for the run Job on a node and takes its part.
func (p *play) runner(b *v1alpha1.ZfsBenchmark, node string) *runner {
	p.t.Helper()
	r := &runner{play: p}
	eventually(p.t, func() error {
		var plans corev1.ConfigMapList
		labels := client.MatchingLabels(jobspec.Labels(string(p.get(b).UID), p.nodeName(node)))
		if err := p.List(p.t.Context(), &plans, client.InNamespace(testNamespace), labels); err != nil {
			return err
		}
		for i := range plans.Items {
			if plans.Items[i].Data[jobspec.KeyPlan] == "" {
				continue
			}
			run, err := jobspec.ReadRun(&plans.Items[i])
			if err != nil {
				return err
			}
			r.run = run
			return r.Get(p.t.Context(), r.key(jobspec.RunJobName(run.Base())), &batchv1.Job{})
		}
		return fmt.Errorf("no plan for %s: %s", node, describeConditions(p.get(b)))
	})
	return r
}

func (r *runner) key(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: testNamespace, Name: name}
}

func (r *runner) job(name string) *batchv1.Job {
	r.t.Helper()
	var job batchv1.Job
	r.must(r.Get(r.t.Context(), r.key(name), &job))
	return &job
}

// patchDocument merges data into a ConfigMap as a runner does.
func (r *runner) patchDocument(name string, patch map[string]any) {
	r.t.Helper()
	data, err := json.Marshal(patch)
	r.must(err)
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: testNamespace, Name: name}}
	r.must(r.Patch(r.t.Context(), cm, client.RawPatch(types.MergePatchType, data), client.FieldOwner("runner")))
}

// report writes progress.
func (r *runner) report(state string, change func(*result.Progress)) {
	r.t.Helper()
	progress := result.Progress{
		Version: result.Version, PlanDigest: r.run.Digest, State: state,
		Started: time.Now().Add(-time.Minute), Updated: time.Now(),
		Node: &result.NodeFacts{OpenZFSUserland: "2.3.2-2", OpenZFSModule: "2.3.2-2", Kernel: "6.12.0", CPUs: 2,
			MemoryBytes: 4 << 30, ARCMaxBytes: 3 << 30},
	}
	if change != nil {
		change(&progress)
	}
	data, err := result.EncodeProgress(progress)
	r.must(err)
	r.patchDocument(jobspec.ProgressName(r.run.Base()),
		map[string]any{"data": map[string]any{jobspec.KeyProgress: string(data)}})
}

// own records what a trial is about to own; disown clears it.
func (r *runner) own() {
	r.t.Helper()
	data, err := result.EncodeOwnership(result.Ownership{
		Version: result.Version, BenchmarkUID: r.run.Plan.Benchmark.UID, PlanDigest: r.run.Digest, PoolName: "zfsbench-1",
		PoolComment: "c",
		Devices:     []result.OwnedDevice{{Name: "f0", File: "/var/lib/zfsbench/f0", SizeBytes: 1 << 30}},
	})
	r.must(err)
	r.patchDocument(jobspec.ProgressName(r.run.Base()),
		map[string]any{"data": map[string]any{jobspec.KeyOwnership: string(data)}})
}

func (r *runner) disown() {
	r.t.Helper()
	r.patchDocument(jobspec.ProgressName(r.run.Base()), map[string]any{"data": map[string]any{jobspec.KeyOwnership: nil}})
}

// trial writes the result of a trial: 100 MiB/s and 800 IOPS written.
func (r *runner) trial(index int) {
	r.t.Helper()
	r.measuredTrial(index, 100)
}

// measuredTrial writes the result of a trial that wrote for a second at so many MiB/s.
func (r *runner) measuredTrial(index, mebibytes int) {
	r.t.Helper()
	planned := r.run.Plan.Trials[index]
	started := time.Now().Add(-30 * time.Second)
	trial := result.Trial{
		Version: result.Version, PlanDigest: r.run.Digest, Index: index, Variant: planned.Variant,
		Repetition: planned.Repetition,
		Node:       r.run.Plan.Node.Name, Started: started, Finished: started.Add(20 * time.Second),
		Samples: []result.Sample{{
			Workload: "seq-write", Tool: "fio", ToolVersion: "fio-3.39", Argv: []string{"fio"}, Started: started,
			CacheState:         "Cold",
			RuntimeNanoseconds: int64(time.Second),
			Write: &result.Operation{
				Bytes: int64(mebibytes) << 20, IOs: 8 * int64(mebibytes), RuntimeNanoseconds: int64(time.Second),
				BandwidthBytesPerSecond: float64(mebibytes << 20), IOPS: float64(8 * mebibytes),
				Latency: result.Latency{
					Count: 8 * int64(mebibytes), MinNanoseconds: 1000, MaxNanoseconds: 4000, MeanNanoseconds: 2000,
					P50Nanoseconds: 2000, P95Nanoseconds: 3000, P99Nanoseconds: 3500, P999Nanoseconds: 4000,
				},
			},
		}},
	}
	for _, d := range r.run.Plan.Devices {
		if d.Path != "" && r.run.Plan.Discards() {
			trial.PreparedDisks = append(trial.PreparedDisks, result.PreparedDisk{Name: d.Name, Discarded: true})
		}
	}
	data, err := result.EncodeTrial(trial)
	r.must(err)
	r.rawTrial(index, data)
}

// rawTrial writes any bytes in the place of a trial.
func (r *runner) rawTrial(index int, data []byte) {
	r.t.Helper()
	name := jobspec.ResultsName(r.run.Base(), plan.ResultsShard(r.run.Plan, index))
	r.patchDocument(name, map[string]any{"binaryData": map[string]any{result.TrialKey(index): data}})
}

// complete does all that a runner does until its report.
func (r *runner) complete() {
	r.t.Helper()
	for i := range r.run.Plan.Trials {
		r.trial(i)
	}
	r.report(result.StateComplete, func(p *result.Progress) { p.Completed = len(r.run.Plan.Trials) })
	r.endJob(jobspec.RunJobName(r.run.Base()), batchv1.JobComplete, "")
}

// endJob sets the status that the Job controller sets at the end of a Job.
func (r *runner) endJob(name string, kind batchv1.JobConditionType, message string) {
	r.t.Helper()
	job := r.job(name)
	now := metav1.Now()
	before, reason := batchv1.JobSuccessCriteriaMet, batchv1.JobReasonCompletionsReached
	if kind == batchv1.JobFailed {
		before, reason = batchv1.JobFailureTarget, batchv1.JobReasonBackoffLimitExceeded
		job.Status.Failed = 1
	} else {
		job.Status.CompletionTime = &now
		job.Status.Succeeded = 1
	}
	job.Status.StartTime = ptr.To(metav1.NewTime(now.Add(-time.Minute)))
	conditions := []batchv1.JobConditionType{before, kind}
	if r.jobsEndAtOnce {
		conditions = conditions[1:]
	}
	for _, c := range conditions {
		job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{
			Type: c, Status: corev1.ConditionTrue, Reason: reason, Message: message, LastTransitionTime: now, LastProbeTime: now,
		})
	}
	r.must(r.Status().Update(r.t.Context(), job))
}

// pod creates a pod of a Job as the Job controller would, with a status as the kubelet would set it.
func (r *runner) pod(jobName string, status corev1.PodStatus) {
	r.t.Helper()
	template := r.job(jobName).Spec.Template
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: jobName + "-", Namespace: testNamespace,
		Labels: template.Labels}, Spec: template.Spec}
	r.must(r.Create(r.t.Context(), pod))
	pod.Status = status
	r.must(r.Status().Update(r.t.Context(), pod))
}

// endDeletion waits until a Job is being deleted in the foreground, and ends that as the garbage collector does once
// the pods are gone.
func (r *runner) endDeletion(name string) {
	r.t.Helper()
	var job batchv1.Job
	eventually(r.t, func() error {
		if err := r.Get(r.t.Context(), r.key(name), &job); err != nil {
			return err
		}
		if job.DeletionTimestamp == nil {
			return fmt.Errorf("Job %s is not being deleted", name)
		}
		return nil
	})
	r.deletePods(&job)
	r.dropFinalizer(&job)
}

func (r *runner) deletePods(job *batchv1.Job) {
	r.t.Helper()
	var pods corev1.PodList
	r.must(r.List(r.t.Context(), &pods, client.InNamespace(testNamespace),
		client.MatchingLabels(job.Spec.Template.Labels)))
	for i := range pods.Items {
		r.must(r.Delete(r.t.Context(), &pods.Items[i], client.GracePeriodSeconds(0)))
	}
}

func (r *runner) dropFinalizer(object client.Object) {
	r.t.Helper()
	eventually(r.t, func() error {
		if err := r.Get(r.t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
			return client.IgnoreNotFound(err)
		}
		controllerutil.RemoveFinalizer(object, metav1.FinalizerDeleteDependents)
		return client.IgnoreNotFound(r.Update(r.t.Context(), object))
	})
}

// collectGarbage waits until the plan is being deleted and deletes what it owns, then the plan, as the garbage
// collector does.
func (r *runner) collectGarbage() {
	r.t.Helper()
	plan := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: testNamespace, Name: r.run.Base()}}
	eventually(r.t, func() error {
		err := r.Get(r.t.Context(), client.ObjectKeyFromObject(plan), plan)
		if err == nil && plan.DeletionTimestamp == nil {
			return fmt.Errorf("plan %s is not being deleted", plan.Name)
		}
		return client.IgnoreNotFound(err)
	})
	labels := client.MatchingLabels{v1alpha1.LabelBenchmarkUID: r.run.Plan.Benchmark.UID}
	for _, list := range []client.ObjectList{&batchv1.JobList{}, &corev1.ConfigMapList{}} {
		r.must(r.List(r.t.Context(), list, client.InNamespace(testNamespace), labels))
		r.must(meta.EachListItem(list, func(item runtime.Object) error {
			object := item.(client.Object)
			if !ownedByPlan(object, r.run.Base()) {
				return nil
			}
			err := r.Delete(r.t.Context(), object, client.PropagationPolicy(metav1.DeletePropagationBackground))
			return client.IgnoreNotFound(err)
		}))
	}
	r.dropFinalizer(plan)
}

func ownedByPlan(object client.Object, base string) bool {
	owner := metav1.GetControllerOf(object)
	return owner != nil && owner.Kind == "ConfigMap" && owner.Name == base
}

// lease is the lease of a node, or nil.
func (p *play) lease(node *corev1.Node) *coordinationv1.Lease {
	p.t.Helper()
	var lease coordinationv1.Lease
	err := p.Get(p.t.Context(), types.NamespacedName{Namespace: testNamespace, Name: string(node.UID)}, &lease)
	if apierrors.IsNotFound(err) {
		return nil
	}
	p.must(err)
	return &lease
}

// waitReleased waits until nobody holds a node.
func (p *play) waitReleased(node *corev1.Node) {
	p.t.Helper()
	eventually(p.t, func() error {
		if lease := p.lease(node); lease != nil {
			return fmt.Errorf("node %s is held by %s", node.Name, lease.Annotations[jobspec.AnnotationBenchmark])
		}
		return nil
	})
}
