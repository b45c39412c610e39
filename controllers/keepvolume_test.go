// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
)

// The event says which volume stays, why and what to do, within what an event may hold.
func TestKeptVolume(t *testing.T) {
	volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pvc-1"}}
	volume.Spec.StorageClassName = "fast"
	e := keptVolume(volume, whyNotEmpty)
	for _, want := range []string{
		"PersistentVolume pvc-1 of StorageClass fast is kept", "was not found empty",
		`kubectl patch persistentvolume pvc-1 -p '{"spec":{"persistentVolumeReclaimPolicy":"Delete"}}'`,
	} {
		if !strings.Contains(e.note, want) {
			t.Errorf("note %q, want %q", e.note, want)
		}
	}
	if clip(sentence(e.note), maxNote) != e.note {
		t.Errorf("note %q does not fit", e.note)
	}
}

// A benchmark that is gone has no events of its own, so the event is about the node that the claim was made for.
func TestVolumeKeptOfAnOrphan(t *testing.T) {
	recorder := events.NewFakeRecorder(3)
	o := &orphans{Reconciler: &Reconciler{Recorder: recorder}, reported: map[string]reportedOrphan{}}
	s := &scope{nodes: map[string]*corev1.Node{"n0": {ObjectMeta: metav1.ObjectMeta{Name: "n0"}}}}
	s.addEvents("n0", notice{kind: corev1.EventTypeWarning, reason: v1alpha1.ReasonVolumeKept, action: "Release",
		note: "It stays."})
	o.report(t.Context(), s, orphan{uid: "u"})
	close(recorder.Events)
	var got []string
	for e := range recorder.Events {
		got = append(got, e)
	}
	if len(got) != 1 || !strings.Contains(got[0], "VolumeKept It stays.") {
		t.Errorf("events %q", got)
	}
}

func TestNodeOfClaim(t *testing.T) {
	second := &nodeRun{name: "n1", run: &jobspec.Run{}}
	s := &scope{runs: []*nodeRun{{name: "n0"}, second}}
	for claim, want := range map[*corev1.ObjectReference]string{nil: "n0", {Name: "other"}: "n0",
		{Name: second.run.Base()}: "n1"} {
		if got := s.nodeOfClaim(claim); got != want {
			t.Errorf("claim %v is of node %s, want %s", claim, got, want)
		}
	}
	if got := (&scope{}).nodeOfClaim(nil); got != "" {
		t.Errorf("node %s without a run", got)
	}
}
