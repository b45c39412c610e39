// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/blockdev"
)

// Every trial's disks are prepared before its pool is made, and its result says how.
func TestPreparation(t *testing.T) {
	tests := map[string]struct {
		preparation v1alpha1.DevicePreparation
		cannot      []string
		calls       []string
		want        []result.PreparedDisk
	}{
		"discard": {
			preparation: v1alpha1.DevicePreparationDiscard, calls: []string{"partition and discard d0",
				"partition and discard d1"},
			want: []result.PreparedDisk{{Name: "d0", Discarded: true}, {Name: "d1", Discarded: true}},
		},
		"one cannot": {
			preparation: v1alpha1.DevicePreparationDiscard, cannot: []string{"d1"},
			calls: []string{"partition and discard d0", "partition and discard d1"},
			want:  []result.PreparedDisk{{Name: "d0", Discarded: true}, {Name: "d1"}},
		},
		"none": {calls: []string{"partition d0", "partition d1"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.undiscardable = test.cannot
			p := testPlan(w)
			p.DevicePreparation = test.preparation
			if got, _ := w.execute(t.Context(), p); got.Progress.State != result.StateComplete {
				t.Fatalf("outcome %+v", got)
			}
			var calls []string
			for _, call := range w.transcript {
				if strings.HasPrefix(call, "partition") || strings.HasPrefix(call, "zpool create zfs") {
					calls = append(calls, strings.Join(strings.Fields(call)[:2], " "))
				}
			}
			want := slices.Concat(test.calls, []string{"zpool create"}, test.calls, []string{"zpool create"})
			for i, call := range want {
				want[i] = strings.Join(strings.Fields(call)[:2], " ")
			}
			if diff := cmp.Diff(want, calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			for index, trial := range w.trials {
				if diff := cmp.Diff(test.want, trial.PreparedDisks); diff != "" {
					t.Errorf("disks of trial %d (-want +got):\n%s", index, diff)
				}
			}
		})
	}
}

// badDisks are disks of which d1 does not discard.
type badDisks struct {
	Disks
	discard func() error
}

func (d badDisks) Partition(ctx context.Context, disk blockdev.Disk, owned result.OwnedDevice,
	discard bool) (blockdev.Partitioned, error) {
	made, err := d.Disks.Partition(ctx, disk, owned, discard)
	if disk.Name == "d1" {
		err = d.discard()
	}
	return made, err
}

// A disk that fails, or that never answers, ends the benchmark with its name, and nothing is left.
func TestPreparationThatFails(t *testing.T) {
	tests := map[string]struct {
		discard func(stop func(error)) error
		want    result.Failure
	}{
		"fails": {
			func(func(error)) error {
				return &blockdev.Refusal{Device: "d1", Path: "/dev/disk/by-id/d1", Step: blockdev.StepWrite, Cause: errFault}
			},
			result.Failure{Reason: v1alpha1.ReasonDeviceRefused,
				Message: "Could not partition device d1: device d1 (/dev/disk/by-id/d1) is refused: trouble."},
		},
		"does not answer": {
			func(stop func(error)) error { stop(errTimedOut); select {} },
			result.Failure{Reason: v1alpha1.ReasonTimedOut,
				Message: "Could not partition device d1: it does not return: the benchmark's running time is up."},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := testPlan(w)
			p.DevicePreparation = v1alpha1.DevicePreparationDiscard
			ctx, stop := context.WithCancelCause(t.Context())
			defer stop(nil)
			e := w.engine(p)
			e.Disks, e.timings.KernelPatience = badDisks{e.Disks, func() error { return test.discard(stop) }}, time.Millisecond
			got, _ := w.work(func() Outcome { return e.Execute(ctx) })
			if diff := cmp.Diff(&test.want, got.Progress.Failure); diff != "" {
				t.Errorf("failure (-want +got):\n%s", diff)
			}
			if left := w.left(); len(left) != 0 || slices.ContainsFunc(w.transcript,
				func(call string) bool { return strings.HasPrefix(call, "zpool create zfs") }) {
				t.Errorf("left: %v, after\n%s", left, strings.Join(w.transcript, "\n"))
			}
		})
	}
}
