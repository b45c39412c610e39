// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// A runner that asks for a volume after consent was taken back, and before it is told to end, gets none.
func TestNoVolumeWithoutConsent(t *testing.T) {
	n := MakeRun().Planned(1).Job().Obj()
	n.claimRequest = &result.ClaimRequest{Want: result.ClaimPresent}
	if !n.awaitsClaim() {
		t.Fatal("it does not ask")
	}
	node := n.node.DeepCopy()
	delete(node.Labels, v1alpha1.LabelNodeAllowed)
	s := &scope{benchmark: MakeBenchmark("default", "a").Obj(), runs: []*nodeRun{n},
		nodes: map[string]*corev1.Node{n.name: node}}
	// Without an API, whatever is done panics.
	if done, err := (&Reconciler{}).serveClaims(t.Context(), s); done || err != nil {
		t.Errorf("done %t, error %v", done, err)
	}
}
