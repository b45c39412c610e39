// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// childrenPlan has two children below the dataset, of which one is worked in.
func childrenPlan(w *world) plan.Plan {
	p := scenarioPlan(w)
	p.Variants[0].Dataset.Children = []v1alpha1.ChildDataset{{Name: "db",
		Properties: v1alpha1.DatasetProperties{"recordsize": "16K"}}, {Name: "log"}}
	p.Workloads = []v1alpha1.Workload{
		{Name: "write", Cache: v1alpha1.CacheWarm, Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioWrite,
			Size: resource.MustParse("1Mi")}},
		{Name: "db", Cache: v1alpha1.CacheCold, Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioRead,
			Size: resource.MustParse("1Mi"), Dataset: "db"}},
	}
	return p
}

// TestOrderOfChildren: they are recorded, made, mounted, unmounted and destroyed with the dataset, and their properties
// are in the result.
func TestOrderOfChildren(t *testing.T) {
	w := newWorld(t)
	if got, _ := w.execute(t.Context(), childrenPlan(w)); got.Progress.State != result.StateComplete {
		t.Fatalf("outcome %+v, failure %+v", got, got.Progress.Failure)
	}
	compareTranscript(t, w, "children")
	if left := w.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	if job := w.trials[0].Samples[1].JobFile; !strings.Contains(job, "directory=/children/db\n") {
		t.Errorf("job file:\n%s", job)
	}
	var names []string
	for _, c := range w.trials[0].Samples[0].Pool.Children {
		names = append(names, c.Name)
		if len(c.Properties) == 0 {
			t.Errorf("the properties of child %s are not recorded", c.Name)
		}
	}
	if want := []string{"db", "log"}; !slices.Equal(names, want) {
		t.Errorf("children %q, want %q", names, want)
	}
}
