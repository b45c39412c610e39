// SPDX-License-Identifier: Apache-2.0

package sink

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/storage/csi/podvolume"
)

// ImagePod is the current state of the pod that holds the plan's images.
func (k *Kubernetes) ImagePod(ctx context.Context) (podvolume.ImagePod, error) {
	name := jobspec.ImagePodName(k.Base)
	var pod *corev1.Pod
	err := k.retry(ctx, "read the pod with the images", func(ctx context.Context) error {
		var err error
		pod, err = k.Client.pod(ctx, name)
		return err
	})
	if apierrors.IsNotFound(err) {
		return podvolume.ImagePod{Name: name}, nil
	}
	if err != nil {
		return podvolume.ImagePod{}, err
	}
	return imagePodOf(pod), nil
}

// imagePodOf reads a pod. The kubelet writes an ID as RUNTIME://ID.
func imagePodOf(pod *corev1.Pod) podvolume.ImagePod {
	p := podvolume.ImagePod{Name: pod.Name, UID: string(pod.UID), Containers: map[int]string{}, Problem: podProblem(pod)}
	for _, status := range pod.Status.ContainerStatuses {
		number, isImage := jobspec.ImageNumber(status.Name)
		if _, id, ok := strings.Cut(status.ContainerID, "://"); ok && isImage && status.State.Running != nil {
			p.Containers[number] = id
		}
	}
	return p
}

// podProblem is why containers of a pod do not run; empty if they do, or are about to.
func podProblem(pod *corev1.Pod) string {
	if pod.DeletionTimestamp != nil {
		return "the pod is being deleted"
	}
	if w := jobspec.ContainerWaiting(pod); w != nil {
		return w.Reason + ": " + w.Message
	}
	if message, ok := jobspec.Unschedulable(pod); ok {
		return "the pod cannot be scheduled: " + message
	}
	if pod.Status.Phase == corev1.PodFailed {
		return "the pod has failed: " + pod.Status.Reason + ": " + pod.Status.Message
	}
	return ""
}
