// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/config"
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
