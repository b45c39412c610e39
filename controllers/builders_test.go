// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/config"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

const testNamespace = "zfsbench-runners"

// testNow is when the pure tests happen.
func testNow() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// benchmarkBuilder makes benchmarks for tests.
type benchmarkBuilder struct{ b *v1alpha1.ZfsBenchmark }

// MakeBenchmark starts a benchmark of one file device, one workload and one repetition.
func MakeBenchmark(namespace, name string) benchmarkBuilder {
	return benchmarkBuilder{&v1alpha1.ZfsBenchmark{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: v1alpha1.ZfsBenchmarkSpec{
			Devices: []v1alpha1.Device{{Name: "f0", File: &v1alpha1.FileDevice{Size: resource.MustParse("1Gi")}}},
			Pool:    &v1alpha1.PoolSpec{Vdevs: []v1alpha1.Vdev{{Type: v1alpha1.VdevStripe, Devices: []string{"f0"}}}},
			Workloads: []v1alpha1.Workload{{
				Name: "seq-write",
				Fio:  &v1alpha1.FioWorkload{RW: v1alpha1.FioWrite, BS: "128k", Size: resource.MustParse("64Mi")},
			}},
		},
	}}
}

func (m benchmarkBuilder) Obj() *v1alpha1.ZfsBenchmark { return m.b }

func (m benchmarkBuilder) Node(names ...string) benchmarkBuilder {
	m.b.Spec.Nodes.Names = append(m.b.Spec.Nodes.Names, names...)
	return m
}

func (m benchmarkBuilder) Selector(key, value string) benchmarkBuilder {
	m.b.Spec.Nodes.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
	return m
}

func (m benchmarkBuilder) MaxParallel(n int32) benchmarkBuilder {
	m.b.Spec.Nodes.MaxParallel = &n
	return m
}

// Disk replaces the file device by a disk.
func (m benchmarkBuilder) Disk(path string) benchmarkBuilder {
	m.b.Spec.Devices = []v1alpha1.Device{{Name: "f0", Path: path}}
	return m
}

func (m benchmarkBuilder) Repetitions(n int32) benchmarkBuilder {
	m.b.Spec.Repetitions = &v1alpha1.RepetitionsSpec{Min: n}
	return m
}

// Recordsizes makes a matrix of them, of which the first is the reference, measured once by default.
func (m benchmarkBuilder) Recordsizes(sizes ...v1alpha1.AxisValueName) benchmarkBuilder {
	m.b.Spec.Matrix = &v1alpha1.MatrixSpec{Axes: []v1alpha1.Axis{{Name: "recordsize", Property: "recordsize",
		PropertyValues: sizes}}}
	m.b.Spec.Comparison = &v1alpha1.ComparisonSpec{Reference: "recordsize=" + string(sizes[0])}
	m.b.Spec.Repetitions = cmp.Or(m.b.Spec.Repetitions, &v1alpha1.RepetitionsSpec{Min: 1})
	return m
}

// AtMost bounds the repetitions.
func (m benchmarkBuilder) AtMost(least, most int32) benchmarkBuilder {
	m.b.Spec.Repetitions = &v1alpha1.RepetitionsSpec{Min: least, Max: &most}
	return m
}

// ComparedWith adds another benchmark, or a ConfigMap of this name. It is measured once by default.
func (m benchmarkBuilder) ComparedWith(with ...v1alpha1.ComparedWith) benchmarkBuilder {
	m.b.Spec.Comparison = &v1alpha1.ComparisonSpec{With: with}
	m.b.Spec.Repetitions = cmp.Or(m.b.Spec.Repetitions, &v1alpha1.RepetitionsSpec{Min: 1})
	return m
}

// Threshold adds a least bandwidth of writing, relative to another benchmark if that is not empty.
func (m benchmarkBuilder) Threshold(atLeast v1alpha1.ThresholdBound, relativeTo string) benchmarkBuilder {
	m.b.Spec.Thresholds = append(m.b.Spec.Thresholds, v1alpha1.Threshold{
		Workload: "seq-write", Metric: v1alpha1.MetricWriteBandwidth, AtLeast: atLeast, RelativeTo: relativeTo,
	})
	return m
}

// Corpora adds workloads that copy claims.
func (m benchmarkBuilder) Corpora(claims ...string) benchmarkBuilder {
	for i, claim := range claims {
		m.b.Spec.Workloads = append(m.b.Spec.Workloads,
			v1alpha1.Workload{Name: fmt.Sprint("given-", i), Corpus: &v1alpha1.CorpusWorkload{
				PersistentVolumeClaim: &v1alpha1.CorpusFromClaim{ClaimName: claim, Size: resource.MustParse("64Mi")},
			}})
	}
	return m
}

func (m benchmarkBuilder) Timeout(d time.Duration) benchmarkBuilder {
	m.b.Spec.Timeout = &metav1.Duration{Duration: d}
	return m
}

func (m benchmarkBuilder) Suspend() benchmarkBuilder {
	m.b.Spec.Suspend = true
	return m
}

func (m benchmarkBuilder) DryRun() benchmarkBuilder {
	m.b.Spec.DryRun = true
	return m
}

func (m benchmarkBuilder) Cleanup(policy v1alpha1.CleanupPolicy) benchmarkBuilder {
	m.b.Spec.CleanupPolicy = policy
	return m
}

func (m benchmarkBuilder) TTL(seconds int32) benchmarkBuilder {
	m.b.Spec.TTLSecondsAfterFinished = &seconds
	return m
}

func (m benchmarkBuilder) UID(uid string) benchmarkBuilder {
	m.b.UID = types.UID(uid)
	return m
}

// Created is minutes before testNow.
func (m benchmarkBuilder) Created(minutesAgo int) benchmarkBuilder {
	m.b.CreationTimestamp = metav1.NewTime(testNow().Add(-time.Duration(minutesAgo) * time.Minute))
	return m
}

// State adds a node to status; its UID is the name with "-uid".
func (m benchmarkBuilder) State(node, state string) benchmarkBuilder {
	m.b.Status.Nodes = append(m.b.Status.Nodes, v1alpha1.NodeStatus{Name: node, UID: node + "-uid", State: state})
	return m
}

// Condition sets a condition; value is the reason, with "!" before it for False.
func (m benchmarkBuilder) Condition(kind, value string) benchmarkBuilder {
	status := metav1.ConditionTrue
	if value[0] == '!' {
		status, value = metav1.ConditionFalse, value[1:]
	}
	m.b.Status.Conditions = append(m.b.Status.Conditions, metav1.Condition{Type: kind, Status: status, Reason: value})
	return m
}

// nodeBuilder makes nodes.
type nodeBuilder struct{ n *corev1.Node }

// MakeNode starts a Ready node that allows benchmarks.
func MakeNode(name string) nodeBuilder {
	return nodeBuilder{&corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name + "-uid"),
			Labels: map[string]string{v1alpha1.LabelNodeAllowed: "true"}},
		Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{
			Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(testNow().Add(-time.Hour)),
		}}},
	}}
}

func (m nodeBuilder) Obj() *corev1.Node { return m.n }

func (m nodeBuilder) Label(key, value string) nodeBuilder {
	m.n.Labels[key] = value
	return m
}

func (m nodeBuilder) NotAllowed() nodeBuilder {
	delete(m.n.Labels, v1alpha1.LabelNodeAllowed)
	return m
}

func (m nodeBuilder) NotReady() nodeBuilder {
	m.n.Status.Conditions[0].Status = corev1.ConditionUnknown
	return m
}

func (m nodeBuilder) Cordoned() nodeBuilder {
	m.n.Spec.Unschedulable = true
	return m
}

func (m nodeBuilder) OutOfService() nodeBuilder {
	m.n.Spec.Taints = append(m.n.Spec.Taints,
		corev1.Taint{Key: corev1.TaintNodeOutOfService, Effect: corev1.TaintEffectNoExecute})
	return m
}

// runBuilder makes what exists of a benchmark on one node.
type runBuilder struct{ n *nodeRun }

// MakeRun starts a run on storage-0 that has nothing yet.
func MakeRun() runBuilder {
	return runBuilder{&nodeRun{name: "storage-0", uid: "storage-0-uid", node: MakeNode("storage-0").Obj()}}
}

func (m runBuilder) Obj() *nodeRun { return m.n }

func (m runBuilder) Node(node *corev1.Node) runBuilder {
	m.n.node = node
	return m
}

// Replaced makes the node another one of the same name.
func (m runBuilder) Replaced(node *corev1.Node) runBuilder {
	m.n.node, m.n.replacement = nil, node
	return m
}

func (m runBuilder) Ours() runBuilder {
	m.n.ours = true
	m.n.lease = &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: m.n.uid}}
	return m
}

func (m runBuilder) Refused(reason, message string, revoked bool) runBuilder {
	m.n.refusal = &refusal{reason: reason, message: message, revoked: revoked}
	return m
}

// Planned makes a plan of as many trials.
func (m runBuilder) Planned(trials int) runBuilder {
	p := plan.Plan{Version: plan.Version, Node: plan.Node{Name: m.n.name, UID: m.n.uid}, TimeoutSeconds: 3600}
	for i := range trials {
		p.Trials = append(p.Trials, plan.Trial{Index: i, Variant: "default", Repetition: i + 1})
	}
	m.n.run = &jobspec.Run{Namespace: testNamespace, Plan: p, Digest: testDigest()}
	m.n.planMap = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: m.n.run.Base()}}
	m.n.progressMap = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: jobspec.ProgressName(m.n.run.Base())}}
	return m
}

func testDigest() string { return fmt.Sprintf("sha256:%064d", 0) }

// Job adds the run Job, made a minute ago, with no pod.
func (m runBuilder) Job() runBuilder {
	m.n.job = testJob(jobspec.ComponentRunner)
	return m
}

// Cleanup adds the cleanup Job, made a minute ago.
func (m runBuilder) Cleanup() runBuilder {
	m.n.cleanup = testJob(jobspec.ComponentCleanup)
	return m
}

func testJob(component string) *batchv1.Job {
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{
		Name: "zb-" + component, Namespace: testNamespace,
		Labels:            map[string]string{jobspec.LabelComponent: component},
		CreationTimestamp: metav1.NewTime(testNow().Add(-time.Minute)),
	}}
}

// Ended ends a Job now: Complete, or Failed with the reason and message given.
func Ended(job *batchv1.Job, kind batchv1.JobConditionType, reason, message string) {
	job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{
		Type: kind, Status: corev1.ConditionTrue, Reason: reason, Message: message,
		LastTransitionTime: metav1.NewTime(testNow()),
	})
}

// DryRun makes the plan one of a dry run, which has found this.
func (m runBuilder) DryRun(found *result.Preflight) runBuilder {
	m.n.run.Plan.DryRun, m.n.progress.Preflight = true, found
	return m
}

func (m runBuilder) JobComplete() runBuilder {
	m.Job()
	Ended(m.n.job, batchv1.JobComplete, "", "")
	return m
}

func (m runBuilder) JobFailed(reason, message string) runBuilder {
	m.Job()
	Ended(m.n.job, batchv1.JobFailed, reason, message)
	return m
}

func (m runBuilder) JobDeleting() runBuilder {
	m.Job()
	m.n.job.DeletionTimestamp = ptr.To(metav1.NewTime(testNow()))
	return m
}

func (m runBuilder) CleanupEnded(kind batchv1.JobConditionType) runBuilder {
	m.Cleanup()
	Ended(m.n.cleanup, kind, "", "")
	return m
}

// Pod adds a pod of the run Job, or of the cleanup Job if there is one, made minutes ago.
func (m runBuilder) Pod(minutesAgo int, change func(*corev1.PodStatus)) runBuilder {
	component := jobspec.ComponentRunner
	if m.n.cleanup != nil {
		component = jobspec.ComponentCleanup
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name:              fmt.Sprintf("pod-%d", len(m.n.pods)),
		Labels:            map[string]string{jobspec.LabelComponent: component},
		CreationTimestamp: metav1.NewTime(testNow().Add(-time.Duration(minutesAgo) * time.Minute)),
	}}
	pod.Status.Phase = corev1.PodRunning
	if change != nil {
		change(&pod.Status)
	}
	m.n.pods = append(m.n.pods, pod)
	return m
}

// Images makes the plan need an image.
func (m runBuilder) Images() runBuilder {
	m.n.run.Plan.Workloads = []v1alpha1.Workload{{Name: "w", Script: &v1alpha1.ScriptWorkload{Image: "example/x:1"}}}
	return m
}

// ImagePod adds the pod that holds the image, made minutes ago.
func (m runBuilder) ImagePod(minutesAgo int, change func(*corev1.PodStatus)) runBuilder {
	m.n.imagePod = &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: "images", CreationTimestamp: metav1.NewTime(testNow().Add(-time.Duration(minutesAgo) * time.Minute)),
	}}
	m.n.imagePod.Status.Phase = corev1.PodRunning
	if change != nil {
		change(&m.n.imagePod.Status)
	}
	return m
}

// Reported sets the runner's report; failure is "reason: message" for state Failed.
func (m runBuilder) Reported(state string) runBuilder {
	m.n.progress = &result.Progress{State: state, PlanDigest: testDigest(), Started: testNow().Add(-time.Hour),
		Updated: testNow()}
	return m
}

// Waiting sets the report of a runner that has not begun.
func (m runBuilder) Waiting(text string) runBuilder {
	m.Reported(result.StateWaiting)
	m.n.progress.Waiting = text
	return m
}

func (m runBuilder) ReportedFailure(reason, message string) runBuilder {
	m.Reported(result.StateFailed)
	m.n.progress.Failure = &result.Failure{Reason: reason, Message: message}
	return m
}

func (m runBuilder) Results(n int) runBuilder {
	m.n.results = n
	return m
}

func (m runBuilder) Owned() runBuilder {
	m.n.owned = true
	return m
}

func (m runBuilder) AskedToSuspend() runBuilder {
	m.n.progressMap.Annotations = map[string]string{jobspec.AnnotationSuspend: "true"}
	return m
}

func (m runBuilder) ToldToGoOn() runBuilder {
	m.n.progressMap.Annotations = map[string]string{jobspec.AnnotationSuspend: "false"}
	return m
}

func (m runBuilder) With(change func(*nodeRun)) runBuilder {
	change(m.n)
	return m
}

// waitingFor makes a container wait for the reason.
func waitingFor(reason, message string) func(*corev1.PodStatus) {
	return func(s *corev1.PodStatus) {
		s.Phase = corev1.PodPending
		s.ContainerStatuses = []corev1.ContainerStatus{{
			Name: jobspec.RunnerContainer, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason,
				Message: message}},
		}}
	}
}

// diedOf makes a pod fail with a last message.
func diedOf(message string) func(*corev1.PodStatus) {
	return func(s *corev1.PodStatus) {
		s.Phase = corev1.PodFailed
		s.ContainerStatuses = []corev1.ContainerStatus{{
			Name: jobspec.RunnerContainer, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1,
				Reason: "Error", Message: message}},
		}}
	}
}

// testReconciler has a configuration and nothing else.
func testReconciler() *Reconciler {
	return &Reconciler{Config: config.Manager{Scratch: config.Scratch{Directory: config.DefaultScratchDirectory,
		SizeLimit: resource.MustParse("4Gi")}}}
}
