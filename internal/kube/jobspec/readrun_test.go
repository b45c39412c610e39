// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
)

func builtPlan(t *testing.T) plan.Plan {
	t.Helper()
	b := testBenchmark()
	b.Spec = v1alpha1.ZfsBenchmarkSpec{
		Devices: []v1alpha1.Device{{Name: "f0", File: &v1alpha1.FileDevice{Size: resource.MustParse("1Gi")}}},
		Pool:    &v1alpha1.PoolSpec{Vdevs: []v1alpha1.Vdev{{Type: v1alpha1.VdevStripe, Devices: []string{"f0"}}}},
		Workloads: []v1alpha1.Workload{{
			Name: "seq-write", Cache: v1alpha1.CacheCold,
			Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioWrite, BS: "128k", Size: resource.MustParse("64Mi"), NumJobs: 1},
		}},
	}
	p, err := plan.Build(plan.Input{
		Benchmark: b, Node: plan.Node{Name: "storage-0", UID: "7d1f3a52-0000-4000-8000-000000000001"},
		Defaults: plan.Defaults{Scratch: plan.Scratch{Directory: "/var/lib/zfsbench", LimitBytes: 1 << 31}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestReadRun(t *testing.T) {
	run := NewRun("zfsbench-runners", builtPlan(t))
	cm := run.PlanConfigMap()
	cm.UID = "plan-uid"
	run.PlanUID = "plan-uid"
	got, err := ReadRun(cm)
	if err != nil {
		t.Fatal(err)
	}
	// Quantities cache their text once they are encoded; the plan's own text says whether two plans are the same.
	if got.PlanJSON != run.PlanJSON || got.Base() != run.Base() || got.PlanUID != run.PlanUID ||
		got.Shards != run.Shards || got.Grace != run.Grace {
		t.Errorf("read back:\n%s", cmp.Diff(run, got))
	}
}

func TestReadRunRefuses(t *testing.T) {
	other := builtPlan(t)
	other.TimeoutSeconds++
	run := NewRun("zfsbench-runners", builtPlan(t))
	var wrong *WrongPlanError
	tests := map[string]struct {
		text  string
		wrong bool
	}{
		"another plan":       {string(plan.Encode(other)), true},
		"the same, reformed": {strings.Replace(run.PlanJSON, ",", ", ", 1), true},
		"no plan":            {"{}", false},
		"nothing":            {"", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cm := run.PlanConfigMap()
			cm.Data[KeyPlan] = tt.text
			if _, err := ReadRun(cm); err == nil || errors.As(err, &wrong) != tt.wrong {
				t.Errorf("ReadRun = %v", err)
			}
		})
	}
}
