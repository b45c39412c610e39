// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
)

// withImages is a run whose workloads need two images.
func withImages(r Run) Run {
	r.Plan.Workloads = []v1alpha1.Workload{
		{Name: "a", Script: &v1alpha1.ScriptWorkload{Image: "example/tools:1"}},
		{Name: "b", Corpus: &v1alpha1.CorpusWorkload{Image: &v1alpha1.CorpusFromImage{Image: "example/data@sha256:00"}}},
		{Name: "c", Script: &v1alpha1.ScriptWorkload{Image: "example/tools:1"}},
	}
	return r
}

// Nothing of an image runs in the pods of Jobs, which see the node's processes. To clean up, nothing of it is needed:
// an image that cannot be pulled is no reason to leave a pool.
func TestJobsHaveNoImages(t *testing.T) {
	if diff := cmp.Diff(testRun().RunJob(testConfig()).Spec, withImages(testRun()).RunJob(testConfig()).Spec); diff != "" {
		t.Errorf("run (-without +with images):\n%s", diff)
	}
	if diff := cmp.Diff(testRun().CleanupJob(testConfig()).Spec,
		withImages(testRun()).CleanupJob(testConfig()).Spec); diff != "" {
		t.Errorf("(-without +with images):\n%s", diff)
	}
}

func TestImagePodSeesOnlyItself(t *testing.T) {
	spec := withImages(testRun()).ImagePod(testConfig()).Spec
	if spec.HostPID || spec.HostNetwork || spec.HostIPC || spec.ShareProcessNamespace != nil ||
		*spec.AutomountServiceAccountToken {
		t.Errorf("the pod sees more than itself: %+v", spec)
	}
	for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
		if len(c.Resources.Requests) == 0 {
			t.Errorf("container %s requests nothing", c.Name)
		}
	}
	if pod := testRun().ImagePod(testConfig()); pod != nil {
		t.Errorf("a plan without images has a pod for them: %+v", pod)
	}
}
