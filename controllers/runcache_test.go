// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"zfsbench.io/operator/internal/kube/jobspec"
)

// A plan is read once for each version, until its benchmark is forgotten.
func TestRunCacheOfPlans(t *testing.T) {
	run := MakeRun().Planned(1).Obj().run
	first := jobspec.NewRun(testNamespace, run.Plan).PlanConfigMap()
	if _, err := (*runCache)(nil).readRun("b", first); err == nil {
		t.Fatal("the test's plan can be read, so the test cannot tell reading from remembering")
	}
	var m runCache
	first.UID, first.ResourceVersion = "u", "1"
	if _, err := m.readRun("b", first); err == nil {
		t.Error("a plan that cannot be read is remembered")
	}
	known := jobspec.Run{Digest: "remembered"}
	m.plans = map[types.UID]map[version]jobspec.Run{"b": {{"u", "1"}: known}}
	if got, err := m.readRun("b", first); err != nil || got.Digest != known.Digest {
		t.Errorf("run %+v, %v, want the one that was read before", got, err)
	}
	next := first.DeepCopy()
	next.ResourceVersion = "2"
	if _, err := m.readRun("b", next); err == nil {
		t.Error("another version of the plan is not read")
	}
	m.forget("b")
	if _, err := m.readRun("b", first); err == nil {
		t.Error("what is forgotten is remembered")
	}
}
