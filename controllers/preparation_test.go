// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

func TestCheckPreparation(t *testing.T) {
	tests := map[string]struct {
		plan     v1alpha1.DevicePreparation
		prepared []result.PreparedDisk
		failure  *result.Failure
		want     string // in the error
	}{
		"as planned": {plan: v1alpha1.DevicePreparationDiscard,
			prepared: []result.PreparedDisk{{Name: "d0", Discarded: true}, {Name: "d1"}}},
		"none planned":  {},
		"failed before": {plan: v1alpha1.DevicePreparationDiscard, failure: &result.Failure{}},
		"not done": {plan: v1alpha1.DevicePreparationDiscard,
			want: "it prepared the disks []; the plan says to prepare [d0 d1]"},
		"not of all": {plan: v1alpha1.DevicePreparationDiscard, prepared: []result.PreparedDisk{{Name: "d0"}},
			want: "[d0]; the plan"},
		"failed, too few": {plan: v1alpha1.DevicePreparationDiscard, prepared: []result.PreparedDisk{{Name: "d0"}},
			failure: &result.Failure{}, want: "[d0]; the plan"},
		"not planned": {prepared: []result.PreparedDisk{{Name: "d0"}, {Name: "d1"}}, want: "the plan says to prepare []"},
		"another variant's": {
			plan: v1alpha1.DevicePreparationDiscard, prepared: []result.PreparedDisk{{Name: "d0"}, {Name: "d1"}, {Name: "d2"}},
			want: "[d0 d1 d2]; the plan",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := testPlan()
			p.DevicePreparation = tt.plan
			for _, d := range []string{"d0", "d1", "d2"} {
				p.Devices = append(p.Devices, plan.Device{Name: d, Path: "/dev/disk/by-id/" + d})
			}
			p.Devices = append(p.Devices, plan.Device{Name: "f0", FileSizeBytes: 1 << 30})
			p.Variants = []plan.Variant{{Name: "default", Pool: v1alpha1.PoolSpec{
				Vdevs: []v1alpha1.Vdev{{Devices: []string{"d1", "d0"}}}, Log: []v1alpha1.Vdev{{Devices: []string{"f0"}}},
			}}}
			trial := testTrial(0)
			trial.PreparedDisks, trial.Failure = tt.prepared, tt.failure
			err := checkTrial(p, testDigest(), result.TrialKey(0), trial)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
