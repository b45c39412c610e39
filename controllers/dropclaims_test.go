// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
)

// What a benchmark has claimed is looked for unless it is certain that there is nothing.
func TestMayHaveClaimed(t *testing.T) {
	plain := MakeBenchmark("default", "a").Obj()
	onClass := MakeBenchmark("default", "a").OnClass("fast", "1Gi").Obj()
	unknown := MakeBenchmark("default", "a").OnClass("fast", "1Gi").Obj()
	unknown.Spec.Baselines = append(unknown.Spec.Baselines, unknown.Spec.Baselines[0])
	tests := map[string]struct {
		benchmark *v1alpha1.ZfsBenchmark
		want      bool
	}{
		"a pool": {plain, false}, "a volume": {onClass, true}, "what has no variants": {unknown, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := mayHaveClaimed(test.benchmark); got != test.want {
				t.Errorf("got %t", got)
			}
		})
	}
	if claiming(unknown) != nil {
		t.Error("two baselines of one name have variants")
	}
}
