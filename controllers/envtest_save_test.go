// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"

	"zfsbench.io/operator/api/v1alpha1"
)

// A status that was written from a stale cache is not saved, and the next reconcile does not do again what was done:
// the event about that is written at once.
func TestEventsOfAStaleReconcile(t *testing.T) {
	p := newPlay(t)
	b := p.create(MakeBenchmark(p.namespace, "stale").Node("nowhere").Obj())
	stale := b.DeepCopy()
	stale.ResourceVersion = "1"
	recorder := events.NewFakeRecorder(3)
	s := &scope{before: stale, benchmark: stale.DeepCopy()}
	s.addEvents("nowhere", notice{kind: corev1.EventTypeWarning, reason: v1alpha1.ReasonVolumeKept, action: "Release",
		note: "It stays."})
	p.must((&Reconciler{Client: p.Client, Recorder: recorder}).save(t.Context(), s))
	close(recorder.Events)
	var got []string
	for e := range recorder.Events {
		got = append(got, e)
	}
	if len(got) != 1 || !strings.Contains(got[0], "VolumeKept It stays.") {
		t.Errorf("events %q, want the one about the volume alone", got)
	}
}
