// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBuildersReturnNewObjects(t *testing.T) {
	c := testConfig()
	r := testRun()
	job := r.RunJob(c)
	job.Labels["changed"] = "yes"
	job.Spec.Template.Labels["changed"] = "yes"
	job.Spec.Template.Spec.Tolerations[0].Key = "changed"
	job.Spec.Template.Spec.Containers[0].Resources.Requests["memory"] =
		job.Spec.Template.Spec.Containers[0].Resources.Requests["cpu"]
	job.Spec.Template.Spec.ImagePullSecrets[0].Name = "changed"
	if diff := cmp.Diff(testRun().RunJob(testConfig()), r.RunJob(c)); diff != "" {
		t.Errorf("changing a built Job changed the next one (-want +got):\n%s", diff)
	}
}

func TestSuspendIsOnlyAnAnnotation(t *testing.T) {
	asked, not := testRun().ProgressConfigMap("true"), testRun().ProgressConfigMap("")
	if got := asked.Annotations[AnnotationSuspend]; got != "true" {
		t.Errorf("annotation = %q, want true", got)
	}
	asked.Annotations = nil
	if diff := cmp.Diff(not, asked); diff != "" {
		t.Errorf("suspend changed more than the annotation:\n%s", diff)
	}
}
