// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
)

// Somebody's ConfigMap of the same name is left alone, and the benchmark has its numbers all the same.
func TestForeignResultsAreLeftAlone(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	foreign := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: "files-results"},
		Data: map[string]string{"mine": "precious"}}
	p.must(p.Create(t.Context(), foreign))
	b := p.create(MakeBenchmark(p.namespace, "files").Node(node.Name).Obj())
	r := p.runner(b, "storage-0")
	r.complete()
	now := p.waitPhase(b, v1alpha1.PhaseComplete)
	p.waitCondition(b, v1alpha1.ConditionResultsPublished, metav1.ConditionFalse, v1alpha1.ReasonNameConflict,
		"files-results")
	p.waitEvent(b, v1alpha1.ReasonNameConflict)
	if len(now.Status.Results) != 1 || now.Status.ResultsConfigMap != "" {
		t.Errorf("results = %v in %q, want numbers in status and no ConfigMap named",
			now.Status.Results, now.Status.ResultsConfigMap)
	}
	var have corev1.ConfigMap
	p.must(p.Get(t.Context(), client.ObjectKeyFromObject(foreign), &have))
	if diff := cmp.Diff(foreign.Data, have.Data); diff != "" || have.ResourceVersion != foreign.ResourceVersion {
		t.Errorf("the foreign ConfigMap was touched: %s", diff)
	}
}
