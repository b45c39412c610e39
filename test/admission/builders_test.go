// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"os"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/config"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/plan"
)

// managerConfig is the configuration that is installed together with the policy.
func managerConfig(t *testing.T) config.Manager {
	t.Helper()
	file, err := os.Open("../../config/manager/config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // only read from
	c, err := config.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// newRun is a run as the manager makes it, of a benchmark with the given UID.
func newRun(t *testing.T, uid string) jobspec.Run {
	t.Helper()
	c := managerConfig(t)
	run := jobspec.NewRun(c.RunnerNamespace, plan.Plan{
		Version:        plan.Version,
		Benchmark:      plan.Benchmark{Namespace: "default", Name: "mirror", UID: uid},
		Node:           plan.Node{Name: "storage-0", UID: "7d1f3a52-0000-4000-8000-000000000001"},
		TimeoutSeconds: 3600,
		Scratch:        plan.Scratch{Directory: c.Scratch.Directory, LimitBytes: c.Scratch.SizeLimit.Value()},
	})
	run.Shards, run.PlanUID = 2, "5b0f0c6e-1111-4222-8333-444455556666"
	return run
}

// withImages is a run of workloads that need two images.
func withImages(run jobspec.Run) jobspec.Run {
	run.Plan.Workloads = []v1alpha1.Workload{
		{Name: "a", Script: &v1alpha1.ScriptWorkload{Image: "example/tools:1"}},
		{Name: "b", Corpus: &v1alpha1.CorpusWorkload{Image: &v1alpha1.CorpusFromImage{Image: "example/data:1"}}},
	}
	return run
}

// podOf is the pod that the Job controller makes of a Job.
func podOf(job *batchv1.Job) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: *job.Spec.Template.ObjectMeta.DeepCopy(), Spec: *job.Spec.Template.Spec.DeepCopy()}
	pod.Namespace, pod.GenerateName = job.Namespace, job.Name+"-"
	pod.Finalizers = []string{batchv1.JobTrackingFinalizer}
	pod.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "batch/v1", Kind: "Job", Name: job.Name, UID: "0d3c1a55-2222-4222-8333-444455556666",
		Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true),
	}}
	return pod
}

// workloads are the other kinds that make pods.
func workloads() map[string]client.Object {
	meta := metav1.ObjectMeta{Name: "other", Namespace: runnerNamespace}
	labels := map[string]string{"app": "other"}
	selector := &metav1.LabelSelector{MatchLabels: labels}
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "runner", Image: "example/other"}}},
	}
	once := *template.DeepCopy()
	once.Spec.RestartPolicy = corev1.RestartPolicyNever
	return map[string]client.Object{
		"a Deployment": &appsv1.Deployment{ObjectMeta: meta,
			Spec: appsv1.DeploymentSpec{Selector: selector, Template: template}},
		"a DaemonSet": &appsv1.DaemonSet{ObjectMeta: meta,
			Spec: appsv1.DaemonSetSpec{Selector: selector, Template: template}},
		"a StatefulSet": &appsv1.StatefulSet{ObjectMeta: meta,
			Spec: appsv1.StatefulSetSpec{Selector: selector, Template: template}},
		"a ReplicaSet": &appsv1.ReplicaSet{ObjectMeta: meta,
			Spec: appsv1.ReplicaSetSpec{Selector: selector, Template: template}},
		"a ReplicationController": &corev1.ReplicationController{ObjectMeta: meta,
			Spec: corev1.ReplicationControllerSpec{Selector: labels, Template: &template}},
		"a CronJob": &batchv1.CronJob{ObjectMeta: meta, Spec: batchv1.CronJobSpec{
			Schedule: "@daily", JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: once}},
		}},
	}
}
