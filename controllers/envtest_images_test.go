// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

const testImage = v1alpha1.ImageReference("example/data:1")

// imageRunner starts a benchmark with files of an image, and takes the part of its runner.
func (p *play) imageRunner(node *corev1.Node) (*v1alpha1.ZfsBenchmark, *runner) {
	p.t.Helper()
	policy := p.policy(node)
	policy.Spec.Images = []v1alpha1.ImageReference{testImage}
	p.updatePolicy(policy)
	b := MakeBenchmark(p.namespace, "images").Node(node.Name).Obj()
	b.Spec.Workloads = append(b.Spec.Workloads, v1alpha1.Workload{Name: "given", Corpus: &v1alpha1.CorpusWorkload{
		Image: &v1alpha1.CorpusFromImage{Image: testImage, Path: "/usr", Size: resource.MustParse("1Mi")},
	}})
	p.create(b)
	return b, p.runner(b, "storage-0")
}

// waitImagePod waits for the pod of images: one that is not the last one.
func (r *runner) waitImagePod(last types.UID) *corev1.Pod {
	r.t.Helper()
	pod := &corev1.Pod{}
	eventually(r.t, func() error {
		if err := r.Get(r.t.Context(), r.key(jobspec.ImagePodName(r.run.Base())), pod); err != nil {
			return err
		}
		if pod.UID == last {
			return fmt.Errorf("pod %s is still the last one", pod.Name)
		}
		return nil
	})
	return pod
}

// The pod of images is there as long as its runner: another one comes in the place of one that was evicted or deleted.
func TestImagePod(t *testing.T) {
	p := newPlay(t)
	b, r := p.imageRunner(p.node("storage-0", nil))
	p.waitCondition(b, v1alpha1.ConditionRunning, metav1.ConditionTrue, v1alpha1.ReasonStarting)
	pod := r.waitImagePod("")
	if pod.Spec.HostPID || pod.Spec.Containers[0].Image != string(testImage) || !ownedByPlan(pod, r.run.Base()) {
		t.Errorf("the pod is %+v", pod)
	}
	r.report(result.StateRunning, nil)
	pod.Status.Phase, pod.Status.Reason = corev1.PodFailed, "Evicted"
	r.must(r.Status().Update(t.Context(), pod))
	second := r.waitImagePod(pod.UID)
	r.must(r.Delete(t.Context(), second))
	third := r.waitImagePod(second.UID)
	r.endJob(jobspec.RunJobName(r.run.Base()), batchv1.JobFailed, "x")
	p.waitGone(third)
}

// An image that the node never gets ends the benchmark, with the kubelet's words.
func TestImageOfABenchmarkThatNeverComes(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	b, r := p.imageRunner(node)
	run := jobspec.RunJobName(r.run.Base())
	r.pod(run, corev1.PodStatus{Phase: corev1.PodRunning})
	pod := r.waitImagePod("")
	waitingFor("ErrImageNeverPull", "example/data:1 is not present")(&pod.Status)
	r.must(r.Status().Update(t.Context(), pod))
	r.endDeletion(run)
	p.waitCondition(b, v1alpha1.ConditionFailed, metav1.ConditionTrue, v1alpha1.ReasonRunnerFailed, pod.Name,
		"ErrImageNeverPull", "is not present")
	p.waitReleased(node)
	p.waitGone(pod)
}

// A benchmark that is deleted takes its images with it.
func TestImagePodOfADeletedBenchmark(t *testing.T) {
	p := newPlay(t)
	b, r := p.imageRunner(p.node("storage-0", nil))
	pod := r.waitImagePod("")
	p.must(p.Delete(t.Context(), b))
	p.waitGone(pod)
	r.endDeletion(jobspec.RunJobName(r.run.Base()))
	r.collectGarbage()
	p.waitGone(b)
	p.waitNothingLeft(b)
}
