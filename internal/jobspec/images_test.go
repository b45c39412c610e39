// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
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

// To clean up, nothing of an image is needed: one that cannot be pulled is no reason to leave a pool.
func TestCleanupNeedsNoImages(t *testing.T) {
	if diff := cmp.Diff(testRun().CleanupJob(testConfig()).Spec, withImages(testRun()).CleanupJob(testConfig()).Spec); diff != "" {
		t.Errorf("(-without +with images):\n%s", diff)
	}
}
