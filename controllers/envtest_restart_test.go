// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// newReconciler is the reconciler of another manager, which has just started. What it tells is in the recorder.
func (p *play) newReconciler() (*Reconciler, *events.FakeRecorder) {
	recorder := events.NewFakeRecorder(100)
	return &Reconciler{
		Client: p.Client, APIReader: p.Client, Recorder: recorder, Config: testConfig(), Clock: clock.RealClock{},
		Metrics: NewMetrics(p.Client), Version: "test",
	}, recorder
}

// A manager that has just started knows nothing but what objects say, and comes to the same conclusions.
func TestRestartedManagerAgrees(t *testing.T) {
	p := newPlay(t)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(p.node("storage-0", nil).Name).Repetitions(2).Obj())
	r := p.runner(b, "storage-0")
	r.trial(0)
	r.report(result.StateRunning, func(pr *result.Progress) { pr.Completed = 1 })
	p.waitCondition(b, v1alpha1.ConditionRunning, metav1.ConditionTrue, v1alpha1.ReasonRunning, "1 of 2")
	report := p.waitReport(b, "summary.md", "OpenZFS: 2.3.2-2")
	// The status follows the report.
	before := p.waitCondition(b, v1alpha1.ConditionResultsPublished, metav1.ConditionTrue, v1alpha1.ReasonPublished)

	restarted, recorder := p.newReconciler()
	if _, err := restarted.Reconcile(t.Context(),
		ctrl.Request{NamespacedName: client.ObjectKeyFromObject(b)}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before.Status, p.get(b).Status); diff != "" {
		t.Errorf("status after a restart (-before +after):\n%s", diff)
	}
	if again := p.waitReport(b, "summary.md", "1 of 2 trials"); again.ResourceVersion != report.ResourceVersion {
		t.Error("the results were written again although nothing had changed")
	}
	if n := len(recorder.Events); n != 0 {
		t.Errorf("%d events were told again, first %q", n, <-recorder.Events)
	}
}
