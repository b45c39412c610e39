// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

// TestForgottenDevicesReachRunners: what an administrator writes on the benchmark is in its progress ConfigMap, beside
// the suspension.
func TestForgottenDevicesReachRunners(t *testing.T) {
	var benchmark v1alpha1.ZfsBenchmark
	want := map[string]string{jobspec.AnnotationSuspend: "false"}
	if diff := cmp.Diff(want, progressFor(&benchmark, &jobspec.Run{}, "false").Annotations); diff != "" {
		t.Errorf("without (-want +got):\n%s", diff)
	}
	benchmark.Annotations = map[string]string{v1alpha1.AnnotationForgetDevices: "S1,S2"}
	want[jobspec.AnnotationForget] = "S1,S2"
	if diff := cmp.Diff(want, progressFor(&benchmark, &jobspec.Run{}, "false").Annotations); diff != "" {
		t.Errorf("with (-want +got):\n%s", diff)
	}
}

func TestGoneDevicesAreAnEvent(t *testing.T) {
	n := &nodeRun{name: "storage-0", progress: &result.Progress{}}
	if got := n.goneDevices(); got != nil {
		t.Errorf("nothing is gone, but %v", got)
	}
	n.progress.Gone = []string{"device d0 is no longer the benchmark's: it has left", "device d1 as well"}
	want := "On storage-0, device d0 is no longer the benchmark's: it has left; device d1 as well."
	if got := n.goneDevices(); len(got) != 1 || got[0].note != want || got[0].reason != v1alpha1.ReasonDeviceGone {
		t.Errorf("got %v", got)
	}
}
