// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/config"
	"zfsbench.io/operator/internal/jobspec"
	"zfsbench.io/operator/internal/plan"
)

// claimers are benchmarks that claim nothing, that claim a volume, and whose variants this manager does not understand.
func claimers() (plain, onClass, unknown *v1alpha1.ZfsBenchmark) {
	claims := func() *v1alpha1.ZfsBenchmark { return MakeBenchmark("default", "a").OnClass("fast", "1Gi").Obj() }
	unknown = claims()
	unknown.Spec.Baselines = append(unknown.Spec.Baselines, unknown.Spec.Baselines[0])
	return MakeBenchmark("default", "a").Obj(), claims(), unknown
}

// emptyReader finds nothing, and counts how often it was asked.
type emptyReader struct {
	client.Reader
	lists int
}

func (r *emptyReader) List(context.Context, client.ObjectList, ...client.ListOption) error {
	r.lists++
	return nil
}

// What a benchmark has claimed is looked for unless it is certain that there is nothing.
func TestDropClaimsLooks(t *testing.T) {
	plain, onClass, unknown := claimers()
	tests := map[string]struct {
		benchmark *v1alpha1.ZfsBenchmark
		disabled  bool
		want      int
	}{
		"a pool": {plain, false, 0}, "a volume": {onClass, false, 3}, "what has no variants": {unknown, false, 3}, "claims switched off": {onClass, true, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			api := &emptyReader{}
			r := &Reconciler{APIReader: api, Config: config.Manager{CSI: config.CSI{Enabled: !test.disabled}}}
			waits, err := r.dropClaims(t.Context(), &scope{benchmark: test.benchmark}, client.MatchingLabels{})
			if len(waits) > 0 || err != nil || api.lists != test.want {
				t.Errorf("waits %q, error %v, asked %d times", waits, err, api.lists)
			}
		})
	}
}

// What there is of drivers matters to nodes that have not started, of a benchmark that claims volumes.
func TestReadDriverIfItMatters(t *testing.T) {
	plain, onClass, unknown := claimers()
	tests := map[string]struct {
		benchmark *v1alpha1.ZfsBenchmark
		names     []string
		want      bool
	}{
		"a pool": {plain, []string{"storage-0"}, false}, "a volume": {onClass, []string{"storage-0"}, true}, "a volume, started everywhere": {onClass, nil, false},
		"what has no variants": {unknown, []string{"storage-0"}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := &scope{benchmark: test.benchmark}
			if err := (&Reconciler{}).readDriver(t.Context(), s, test.names); err != nil || (s.driver != nil) != test.want {
				t.Errorf("facts %+v, error %v", s.driver, err)
			}
		})
	}
}

// TestKeeps: a volume stays if its runner recorded that, also if it died before it asked, and if nobody can say what it recorded.
func TestKeeps(t *testing.T) {
	run := &jobspec.Run{Plan: plan.Plan{Benchmark: plan.Benchmark{UID: "u"}}, Digest: "d"}
	digest := "sha256:" + strings.Repeat("0", 64)
	tests := map[string]struct {
		ownership string
		want      bool
	}{
		"nothing recorded":       {"", false},
		"the benchmark's volume": {`{"version":1,"benchmarkUID":"u","planDigest":"` + digest + `","trialIndex":0,"baseline":"x","claim":{"poolTrial":0}}`, false},
		"somebody's volume": {
			`{"version":1,"benchmarkUID":"u","planDigest":"` + digest + `","trialIndex":0,"baseline":"x","claim":{"poolTrial":0,"keep":true}}`, true,
		},
		"unreadable": {`{`, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			n := &nodeRun{name: "n0", run: run, progressMap: &corev1.ConfigMap{Data: map[string]string{}}}
			if test.ownership != "" {
				n.progressMap.Data[jobspec.KeyOwnership] = test.ownership
			}
			n.readReports()
			s := &scope{runs: []*nodeRun{n}}
			if got := s.keeps(run.Base()); got != test.want {
				t.Errorf("keeps %t, want %t (%v)", got, test.want, n.unreadable)
			}
		})
	}
}
