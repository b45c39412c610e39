// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

// A benchmark that runs goes on when an upgrade of the manager brings a limit that it exceeds.
func TestLimitsHoldForNewRunsOnly(t *testing.T) {
	r := testReconciler()
	r.Config.MaxTimeout = metav1.Duration{Duration: time.Hour}
	b := MakeBenchmark("default", "files").UID(testUID).Obj()
	b.Spec.Timeout = &metav1.Duration{Duration: 2 * time.Hour}
	node := MakeNode("storage-0").Obj()
	s := &scope{benchmark: b, nodes: map[string]*corev1.Node{"storage-0": node}}
	if got := r.refuse(s, "storage-0", nil); got == nil || got.reason != v1alpha1.ReasonPolicyMismatch {
		t.Errorf("before the start it is refused with %v, want the limit", got)
	}
	run := builtRun(t)
	if got := r.refuse(s, "storage-0", &nodeRun{name: "storage-0", uid: string(node.UID), run: &run}); got != nil {
		t.Errorf("while it runs it is refused: %s", got.message)
	}
}
