// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

const testUID = "0c7c9a41-8a2e-4fbb-9f4d-1f2d3c4b5a69"

// builtRun is the run of a real plan on storage-0.
func builtRun(t *testing.T) jobspec.Run {
	t.Helper()
	s := &scope{benchmark: MakeBenchmark("default", "files").UID(testUID).Obj()}
	p, err := plan.Build(testReconciler().planInput(s, plan.Node{Name: "storage-0", UID: "storage-0-uid"}))
	if err != nil {
		t.Fatal(err)
	}
	return jobspec.NewRun(testNamespace, p)
}

func TestGroupRunsReadsDocuments(t *testing.T) {
	run := builtRun(t)
	progress, err := result.EncodeProgress(result.Progress{Version: result.Version, PlanDigest: run.Digest,
		State: result.StateRunning})
	if err != nil {
		t.Fatal(err)
	}
	other, err := result.EncodeProgress(result.Progress{Version: result.Version, PlanDigest: testDigest(),
		State: result.StateComplete})
	if err != nil {
		t.Fatal(err)
	}
	type seen struct {
		started  bool
		reported string
		owned    bool
		clean    bool
		problem  string
	}
	tests := map[string]struct {
		plan     func(*corev1.ConfigMap)
		progress map[string]string
		want     seen
	}{
		"no report": {nil, nil, seen{started: true, clean: true}},
		"running": {nil, map[string]string{jobspec.KeyProgress: string(progress)},
			seen{started: true, reported: result.StateRunning}},
		"garbage": {nil, map[string]string{jobspec.KeyProgress: "{"}, seen{started: true, problem: "progress.json"}},
		"of another plan": {nil, map[string]string{jobspec.KeyProgress: string(other)},
			seen{started: true, problem: "another plan"}},
		"garbage as owned": {nil, map[string]string{jobspec.KeyOwnership: "{"},
			seen{started: true, owned: true, problem: "ownership.json"}},
		"nothing as owned": {nil, map[string]string{jobspec.KeyOwnership: ""},
			seen{started: true, owned: true, problem: "ownership.json"}},
		"plan changed": {
			func(cm *corev1.ConfigMap) {
				cm.Data[jobspec.KeyPlan] = strings.Replace(cm.Data[jobspec.KeyPlan], `"timeoutSeconds":`, `"timeoutSeconds":1`, 1)
			},
			nil, seen{problem: "a different plan"},
		},
		"plan that is none": {func(cm *corev1.ConfigMap) {
			cm.Data[jobspec.KeyPlan] = "{}"
		}, nil, seen{problem: "read plan"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			planMap, progressMap := run.PlanConfigMap(), run.ProgressConfigMap("")
			progressMap.Data = tt.progress
			if tt.plan != nil {
				tt.plan(planMap)
			}
			s := &scope{benchmark: MakeBenchmark("default", "files").UID(testUID).State("storage-0", nodeRunning).Obj()}
			runs := groupRuns(s, []corev1.ConfigMap{*progressMap, *planMap}, nil, nil)
			if len(runs) != 1 || runs[0].name != "storage-0" {
				t.Fatalf("runs = %v, want one on storage-0", runs)
			}
			n := runs[0]
			got := seen{started: n.started(), reported: n.reported(), owned: n.owned, clean: n.ownsNothing()}
			if n.recordsError != nil && strings.Contains(n.recordsError.Error(), tt.want.problem) {
				got.problem = tt.want.problem
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(seen{})); diff != "" {
				t.Errorf("seen (-want +got), error %v:\n%s", n.recordsError, diff)
			}
		})
	}
}

// A run that status does not know of, because writing it failed, is found by what it made.
func TestGroupRunsFindsWhatStatusLost(t *testing.T) {
	run := builtRun(t)
	s := &scope{benchmark: MakeBenchmark("default", "files").UID(testUID).Obj()}
	shards := run.ResultsConfigMaps()
	stranger := shards[0].DeepCopy()
	stranger.Name = "zb-another-results-0"
	runs := groupRuns(s, []corev1.ConfigMap{*stranger, *shards[0], *run.PlanConfigMap()}, nil, nil)
	if len(runs) != 1 || runs[0].name != "storage-0" || runs[0].uid != "storage-0-uid" || len(runs[0].shards) != 1 {
		t.Errorf("runs = %+v, want the one of the plan, with its own results only", runs[0])
	}
}

func TestAbandonedNodes(t *testing.T) {
	b := MakeBenchmark("default", "a").Obj()
	b.Annotations = map[string]string{v1alpha1.AnnotationAbandonNode: "storage-0, storage-1 ,"}
	if diff := cmp.Diff([]string{"storage-0", "storage-1", ""}, abandonedNodes(b)); diff != "" {
		t.Errorf("abandoned (-want +got):\n%s", diff)
	}
}
