// SPDX-License-Identifier: Apache-2.0

package sink

import (
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/internal/storage/csi/podvolume"
)

func TestImagePodOf(t *testing.T) {
	waits := func(name, reason, message string) corev1.ContainerStatus {
		return corev1.ContainerStatus{Name: name, State: corev1.ContainerState{
			Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message},
		}}
	}
	runs := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
	tests := map[string]struct {
		status     corev1.PodStatus
		containers map[int]string
		problem    string
	}{
		"it runs": {corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{
			{Name: "image-0", ContainerID: "containerd://aa", State: runs},
			{Name: "image-1", ContainerID: "cri-o://bb", State: runs},
		}}, map[int]string{0: "aa", 1: "bb"}, ""},
		"one is pulled": {corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{
			{Name: "image-0", ContainerID: "containerd://aa", State: runs}, waits("image-1", "ContainerCreating", ""),
		}}, map[int]string{0: "aa"}, ""},
		"one cannot be pulled": {corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{
			waits("image-0", "ErrImageNeverPull", "not present"),
		}}, nil, "ErrImageNeverPull: not present"},
		"one has ended": {corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{
			{Name: "image-0", ContainerID: "containerd://aa", State: ended},
		}}, nil, ""},
		"the holder cannot be pulled": {corev1.PodStatus{InitContainerStatuses: []corev1.ContainerStatus{
			waits("install-holder", "ImagePullBackOff", "x"),
		}}, nil, "ImagePullBackOff: x"},
		"another container": {corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{
			{Name: "shell", ContainerID: "containerd://aa", State: runs},
		}}, nil, ""},
		"no node": {corev1.PodStatus{Conditions: []corev1.PodCondition{
			{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "no room."},
		}}, nil, "the pod cannot be scheduled: no room."},
		"evicted": {corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: "no memory"}, nil,
			"the pod has failed: Evicted: no memory"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := imagePodOf(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "zb-images", UID: "uid"}, Status: tt.status})
			want := podvolume.ImagePod{Name: "zb-images", UID: "uid", Containers: map[int]string{}, Problem: tt.problem}
			if tt.containers != nil {
				want.Containers = tt.containers
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A pod that is not there yet is no error: the manager makes it after the Job.
func TestImagePodIsNotThere(t *testing.T) {
	b := newBench(t)
	client, err := NewClient(api, b.run.Namespace)
	if err != nil {
		t.Fatal(err)
	}
	k := &Kubernetes{Client: client, Base: b.run.Base(), Log: slog.New(slog.DiscardHandler)}
	got, err := k.ImagePod(t.Context())
	if diff := cmp.Diff(podvolume.ImagePod{Name: b.run.Base() + "-images"}, got); diff != "" || err != nil {
		t.Errorf("%v, (-want +got):\n%s", err, diff)
	}
}
