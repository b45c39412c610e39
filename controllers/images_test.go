// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/internal/result"
)

func evicted(s *corev1.PodStatus) { s.Phase = corev1.PodFailed }

func TestDecideImages(t *testing.T) {
	withImages := func() runBuilder { return MakeRun().Planned(1).Images() }
	tests := map[string]struct {
		run  runBuilder
		want imageStep
	}{
		"no plan":              {MakeRun().Job(), keepImages},
		"no images":            {MakeRun().Planned(1).Job(), keepImages},
		"no Job yet":           {withImages(), keepImages},
		"a Job":                {withImages().Job(), makeImages},
		"a Job and the pod":    {withImages().Job().ImagePod(1, nil), keepImages},
		"the pod was evicted":  {withImages().Job().ImagePod(1, evicted), removeImages},
		"a Job that has ended": {withImages().JobComplete().ImagePod(1, nil), removeImages},
		"a Job that is going":  {withImages().JobDeleting().ImagePod(1, nil), removeImages},
		"a Job that is gone":   {withImages().ImagePod(1, nil), removeImages},
		"only a cleanup Job":   {withImages().CleanupEnded(batchv1.JobComplete).ImagePod(1, nil), removeImages},
		"a node that was given up": {withImages().Job().With(func(n *nodeRun) {
			n.abandoned = true
		}).ImagePod(1, nil), removeImages},
		"a pod that is going": {withImages().JobComplete().ImagePod(1, nil).With(func(n *nodeRun) {
			n.imagePod.DeletionTimestamp = ptr.To(metav1.NewTime(testNow()))
		}), keepImages},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tt.run.Obj().decideImages(); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// What keeps an image from the node ends a run that has not begun. One that has begun gives up its images itself.
func TestImageProblem(t *testing.T) {
	withImages := func() runBuilder { return MakeRun().Planned(1).Images().Job().Pod(9, nil) }
	ready := func(s *corev1.PodStatus) {
		s.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	}
	restarting := func(s *corev1.PodStatus) {
		waitingFor("CrashLoopBackOff", "back-off")(s)
		lately := metav1.NewTime(testNow().Add(-2 * time.Minute))
		s.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse,
			LastTransitionTime: lately}}
	}
	pulling := "pod images waits: ErrImagePull: example/x:1: not found."
	notFound := waitingFor("ErrImagePull", "example/x:1: not found")
	tests := map[string]struct {
		run   runBuilder
		want  problem
		waits bool
	}{
		"they run":        {withImages().ImagePod(9, ready), problem{}, false},
		"they are pulled": {withImages().ImagePod(9, waitingFor("ContainerCreating", "")), problem{}, true},
		"no pod yet":      {withImages(), problem{}, true},
		"not found": {withImages().ImagePod(1, notFound), problem{message: pulling, requeueAfter: 4 * time.Minute},
			true},
		"not found for long": {withImages().ImagePod(5, notFound), problem{message: pulling, fatal: true}, true},
		"never pulled": {
			withImages().ImagePod(0, waitingFor("ErrImageNeverPull", "x")),
			problem{message: "pod images waits: ErrImageNeverPull: x.", fatal: true}, true,
		},
		"not found, while the runner works": {
			withImages().ImagePod(50, notFound).Reported(result.StateRunning), problem{message: pulling}, false,
		},
		"restarts since a little while": {
			withImages().ImagePod(50, restarting),
			problem{message: "pod images waits: CrashLoopBackOff: back-off.", requeueAfter: 3 * time.Minute}, true,
		},
		"the pod is refused": {
			withImages().With(func(n *nodeRun) { n.imageError = "create pod images: forbidden" }),
			problem{message: "the runner waits for the pod with its images: create pod images: forbidden."}, true,
		},
		"the runner's own pod has a problem": {
			MakeRun().Planned(1).Images().Job().Pod(1, waitingFor("ErrImagePull", "runner")).ImagePod(1, notFound),
			problem{message: "pod pod-0 waits: ErrImagePull: runner.", requeueAfter: 4 * time.Minute}, true,
		},
		"a run without images": {MakeRun().Planned(1).Job().Pod(9, nil).ImagePod(9, notFound), problem{}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			n := tt.run.Obj()
			if diff := cmp.Diff(tt.want, n.runProblem(testNow()), cmp.AllowUnexported(problem{})); diff != "" {
				t.Errorf("problem (-want +got):\n%s", diff)
			}
			if got := n.waitsForImages(); got != tt.waits {
				t.Errorf("waits: %t, want %t", got, tt.waits)
			}
		})
	}
}
