// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
)

// withCorpora is a run whose workloads read two claims.
func withCorpora(r Run) Run {
	from := func(name, claim string) v1alpha1.Workload {
		return v1alpha1.Workload{Name: name,
			Corpus: &v1alpha1.CorpusWorkload{PersistentVolumeClaim: &v1alpha1.CorpusFromClaim{ClaimName: claim}}}
	}
	r.Plan.Workloads = []v1alpha1.Workload{from("a", "given"), from("b", "other"), from("c", "given")}
	return r
}

// To clean up, no data is needed: a volume that cannot be mounted is no reason to leave a pool.
func TestCleanupNeedsNoCorpora(t *testing.T) {
	if diff := cmp.Diff(testRun().CleanupJob(testConfig()).Spec,
		withCorpora(testRun()).CleanupJob(testConfig()).Spec); diff != "" {
		t.Errorf("(-without +with corpora):\n%s", diff)
	}
}

// Nothing of a claim can be written to: the pod has it read-only, and so has the container.
func TestCorporaAreReadOnly(t *testing.T) {
	pod := withCorpora(testRun()).RunJob(testConfig()).Spec.Template.Spec
	claims := map[string]string{}
	for _, v := range pod.Volumes {
		if c := v.PersistentVolumeClaim; c != nil {
			claims[v.Name] = c.ClaimName
			if !c.ReadOnly {
				t.Errorf("volume %s is to be written to", v.Name)
			}
		}
	}
	if diff := cmp.Diff(map[string]string{"corpus-0": "given", "corpus-1": "other"}, claims); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
	mounts := map[string]string{}
	for _, m := range pod.Containers[0].VolumeMounts {
		if claims[m.Name] == "" {
			continue
		}
		if mounts[m.Name] = m.MountPath; !m.ReadOnly {
			t.Errorf("mount %s is to be written to", m.Name)
		}
	}
	if diff := cmp.Diff(map[string]string{"corpus-0": "/run/zfsbench-corpora/0", "corpus-1": "/run/zfsbench-corpora/1"},
		mounts); diff != "" {
		t.Errorf("mounts (-want +got):\n%s", diff)
	}
}
