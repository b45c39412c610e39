// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/internal/config"
)

const (
	// backoffLimit is how many pods may fail before the Job does. A restarted runner continues where the last one
	// ended, so retries are cheap.
	backoffLimit = 6
	// deadlineSlack is added to the plan's timeout, which the runner enforces itself, with a message. The Job's
	// deadline ends only a runner that fails to do so.
	deadlineSlack = time.Hour
)

// RunJob executes the plan on its node.
func (r Run) RunJob(c config.Runner) *batchv1.Job {
	pod := r.pod(c, "execute", onAllowedNode(r.Plan.Node.Name), c.Tolerations)
	mountCorpora(&pod, r.Plan.CorpusClaims())
	job := r.job(RunJobName(r.Base()), ComponentRunner, pod)
	job.Spec.ActiveDeadlineSeconds = ptr.To(int64((r.Plan.Timeout() + r.Grace + deadlineSlack).Seconds()))
	return job
}

// CleanupJob removes what a runner left on the node. It tolerates every taint and has no deadline: whatever happened to
// the node, what the benchmark owns there must be removed. It does not require the node's label either, because
// removing the label is one reason to start it.
func (r Run) CleanupJob(c config.Runner) *batchv1.Job {
	everything := []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	pod := r.pod(c, "cleanup", onNode(r.Plan.Node.Name), everything)
	return r.job(CleanupJobName(r.Base()), ComponentCleanup, pod)
}

// job never runs two pods at once: a new pod starts only when the old one has ended for good. Evicted pods do not count
// as failures.
func (r Run) job(name, component string, pod corev1.PodSpec) *batchv1.Job {
	meta := r.meta(name)
	meta.Labels[LabelComponent] = component
	podLabels := r.labels()
	podLabels[LabelComponent] = component
	return &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: batchv1.SchemeGroupVersion.String(), Kind: "Job"},
		ObjectMeta: meta,
		Spec: batchv1.JobSpec{
			Parallelism:          ptr.To(int32(1)),
			Completions:          ptr.To(int32(1)),
			BackoffLimit:         ptr.To(int32(backoffLimit)),
			PodReplacementPolicy: ptr.To(batchv1.Failed),
			PodFailurePolicy: &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
				Action: batchv1.PodFailurePolicyActionIgnore,
				OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{Type: corev1.DisruptionTarget,
					Status: corev1.ConditionTrue}},
			}}},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: podLabels}, Spec: pod},
		},
	}
}
