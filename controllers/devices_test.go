// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

func TestDevicesOf(t *testing.T) {
	refused := result.Preflight{Devices: []result.DeviceReport{
		{Name: "d0", Usable: true}, {Name: "d1", Refusal: strings.Repeat("x", maxDeviceMessage+1)},
	}}
	passed := result.Preflight{Passed: true, Devices: []result.DeviceReport{{Name: "d0", Usable: true}}}
	tests := map[string]struct {
		dryRun bool
		found  *result.Preflight
		want   []v1alpha1.DeviceStatus
	}{
		"none yet":                  {true, nil, nil},
		"passed before real trials": {false, &passed, nil},
		"dry run":                   {true, &passed, []v1alpha1.DeviceStatus{{Node: "storage-0", Name: "d0", Usable: true}}},
		"refused": {false, &refused, []v1alpha1.DeviceStatus{
			{Node: "storage-0", Name: "d1", Message: strings.Repeat("x", maxDeviceMessage) + " …"},
			{Node: "storage-0", Name: "d0", Usable: true},
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			n := MakeRun().Planned(1).Reported(result.StateComplete).With(func(n *nodeRun) {
				n.progress.Preflight, n.run.Plan.DryRun = tt.found, tt.dryRun
			}).Obj()
			if diff := cmp.Diff(tt.want, (&scope{runs: []*nodeRun{n}}).devicesOf()); diff != "" {
				t.Errorf("devices (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDevicesOfManyNodes: status has room for some, and those that are refused matter most.
func TestDevicesOfManyNodes(t *testing.T) {
	var s scope
	for node := range 3 {
		var found result.Preflight
		for d := range 30 {
			found.Devices = append(found.Devices, result.DeviceReport{Name: fmt.Sprintf("d%d", d), Usable: d > 0 || node < 2})
		}
		s.runs = append(s.runs, MakeRun().Planned(1).Reported(result.StateComplete).DryRun(&found).With(func(n *nodeRun) {
			n.name = fmt.Sprintf("n%d", node)
		}).Obj())
	}
	got := s.devicesOf()
	if len(got) != maxDevices || got[0] != (v1alpha1.DeviceStatus{Node: "n2", Name: "d0"}) || got[1].Node != "n0" {
		t.Errorf("%d devices, the first %+v", len(got), got[:2])
	}
}

func TestColumnsOfADryRun(t *testing.T) {
	for _, dryRun := range []bool{true, false} {
		s := concludedScope(dryRun, []concluded{{name: "a", state: nodeRunning}})
		s.reading = &reading{}
		if _, err := (&Reconciler{}).columns(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		want := map[bool]string{true: "dry run", false: "0/2"}[dryRun]
		if got := s.status().Summary.Progress; got != want {
			t.Errorf("dry run %t: progress column %q, want %q", dryRun, got, want)
		}
	}
}
