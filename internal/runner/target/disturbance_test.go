// SPDX-License-Identifier: Apache-2.0

package target

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/storage/zfs"
)

func TestDisturbance(t *testing.T) {
	vdevs := func(v ...zfs.VdevStatus) []zfs.VdevStatus {
		return append([]zfs.VdevStatus{{Name: "tank", State: "ONLINE"}}, v...)
	}
	tests := map[string]struct {
		status          zfs.Status
		reason, problem string
	}{
		"none": {zfs.Status{State: "ONLINE", Vdevs: vdevs(zfs.VdevStatus{Name: "sda", State: "ONLINE"})}, "", ""},
		"degraded": {zfs.Status{State: "DEGRADED", Vdevs: vdevs()}, v1alpha1.ReasonPoolNotOnline,
			"the pool is DEGRADED"},
		"a cache is gone": {zfs.Status{State: "ONLINE", Vdevs: vdevs(zfs.VdevStatus{Name: "sda", State: "UNAVAIL"})},
			v1alpha1.ReasonPoolNotOnline, "sda is UNAVAIL"},
		"trim": {
			zfs.Status{State: "ONLINE", Active: []string{"trimming of sda"}, Vdevs: vdevs()}, v1alpha1.ReasonPoolBusy,
			"OpenZFS was working on the pool in the background: trimming of sda",
		},
		"errors": {
			zfs.Status{State: "ONLINE", Vdevs: vdevs(zfs.VdevStatus{Name: "sda", State: "ONLINE", ReadErrors: 1,
				ChecksumErrors: 3})}, v1alpha1.ReasonVdevErrors,
			"sda has counted 1 read, 0 write and 3 checksum errors",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			reason, problem := disturbance(test.status, nil)
			if reason != test.reason || problem != test.problem {
				t.Errorf("got %q: %q", reason, problem)
			}
		})
	}
}

// Exactly the state that a scenario has asked for counts as undisturbed.
func TestDisturbanceOfScenarios(t *testing.T) {
	const path = "/dev/disk/by-partuuid/1"
	vdevs := func(pool, mirror, first, second string) []zfs.VdevStatus {
		return []zfs.VdevStatus{{Name: "tank", State: pool}, {Name: "mirror-0", State: mirror}, {Name: path, State: first},
			{Name: "/dev/disk/by-partuuid/2", State: second}}
	}
	tests := map[string]struct {
		status  zfs.Status
		offline []string
		want    string
	}{
		"all is well": {zfs.Status{State: "ONLINE", Vdevs: vdevs("ONLINE", "ONLINE", "ONLINE", "ONLINE")},
			nil, ""},
		"as asked for": {zfs.Status{State: "DEGRADED",
			Vdevs: vdevs("DEGRADED", "DEGRADED", "OFFLINE", "ONLINE")}, []string{path}, ""},
		"degraded by itself": {zfs.Status{State: "DEGRADED",
			Vdevs: vdevs("DEGRADED", "DEGRADED", "OFFLINE", "ONLINE")}, nil, "PoolNotOnline"},
		"another one": {zfs.Status{State: "DEGRADED",
			Vdevs: vdevs("DEGRADED", "DEGRADED", "ONLINE", "OFFLINE")}, []string{path}, "PoolNotOnline"},
		"another one as well": {zfs.Status{State: "DEGRADED",
			Vdevs: vdevs("DEGRADED", "DEGRADED", "OFFLINE", "FAULTED")}, []string{path}, "PoolNotOnline"},
		"faulted in place of offline": {zfs.Status{State: "DEGRADED",
			Vdevs: vdevs("DEGRADED", "DEGRADED", "FAULTED", "ONLINE")}, []string{path}, "PoolNotOnline"},
		"a device that is degraded": {zfs.Status{State: "DEGRADED",
			Vdevs: vdevs("DEGRADED", "DEGRADED", "OFFLINE", "DEGRADED")}, []string{path}, "PoolNotOnline"},
		"back again": {zfs.Status{State: "ONLINE", Vdevs: vdevs("ONLINE", "ONLINE", "ONLINE", "ONLINE")},
			[]string{path}, "PoolNotOnline"},
		"gone": {zfs.Status{State: "DEGRADED",
			Vdevs: vdevs("DEGRADED", "DEGRADED", "OFFLINE", "ONLINE")[:2]}, []string{path}, "PoolNotOnline"},
		"as asked for, and it resilvers": {zfs.Status{State: "DEGRADED", Active: []string{"resilver"},
			Vdevs: vdevs("DEGRADED", "DEGRADED", "OFFLINE", "ONLINE")}, []string{path}, "PoolBusy"},
		"as asked for, and it has errors": {zfs.Status{State: "DEGRADED",
			Vdevs: append(vdevs("DEGRADED", "DEGRADED", "OFFLINE", "ONLINE"),
				zfs.VdevStatus{Name: "/dev/x", State: "ONLINE", ChecksumErrors: 1})}, []string{path}, "VdevErrors"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			reason, problem := disturbance(test.status, test.offline)
			if diff := cmp.Diff(test.want, reason); diff != "" || (problem == "") != (test.want == "") {
				t.Errorf("%q, reason (-want +got):\n%s", problem, diff)
			}
		})
	}
}
