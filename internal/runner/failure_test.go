// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
	"zfsbench.io/operator/internal/storage/blockdev"
	"zfsbench.io/operator/internal/storage/zfs"
)

// tailedError is a tool that failed, with what it said.
type tailedError struct {
	error
	tail string
}

func (e tailedError) Tail() string { return e.tail }

func TestFailureOf(t *testing.T) {
	exit := &hostexec.ExitError{Args: []string{"zpool", "create"}, Code: 1, Stderr: "no such device"}
	refusal := &blockdev.Refusal{Device: "d0", Path: "/dev/x", Cause: errors.New("it holds ext4")}
	tests := map[string]struct {
		err  error
		want result.Failure
	}{
		"a command": {
			failure.Wrap(v1alpha1.ReasonPoolFailed, "create the pool", exit),
			result.Failure{Reason: v1alpha1.ReasonPoolFailed,
				Message: "Could not create the pool: zpool create: exit code 1: no such device.", Tail: "no such device"},
		},
		"a tool": {
			failure.Wrap(v1alpha1.ReasonWorkloadFailed, "run workload w", tailedError{errors.New("job 0 failed"),
				"fio: no space"}),
			result.Failure{Reason: v1alpha1.ReasonWorkloadFailed, Message: "Could not run workload w: job 0 failed.",
				Tail: "fio: no space"},
		},
		"a refusal met by a later step": {
			failure.Wrap(v1alpha1.ReasonPoolFailed, "partition device d0", refusal),
			result.Failure{Reason: v1alpha1.ReasonDeviceRefused,
				Message: "Could not partition device d0: device d0 (/dev/x) is refused: it holds ext4."},
		},
		"a refusal met by the clean-up": {
			failure.Wrap(v1alpha1.ReasonCleanupFailed, "release devices", refusal),
			result.Failure{Reason: v1alpha1.ReasonCleanupFailed,
				Message: "Could not release devices: device d0 (/dev/x) is refused: it holds ext4."},
		},
		"a suspended pool": {
			failure.Wrap(v1alpha1.ReasonWorkloadFailed, "run workload w", &zfs.SuspendedError{Pool: "p"}),
			result.Failure{
				Reason: v1alpha1.ReasonPoolSuspended,
				Message: "Could not run workload w: pool p is suspended: its devices no longer answer; if they do not come " +
					"back, the node needs a reboot.",
			},
		},
		"a tool that cannot be killed": {
			fmt.Errorf("run: %w", sandbox.ErrStuck),
			result.Failure{Reason: v1alpha1.ReasonPoolSuspended,
				Message: "Run: the tool cannot be killed, it waits in the kernel: only a reboot of the node helps."},
		},
		"interrupted": {
			errors.Join(ErrInterrupted, failure.Wrap(v1alpha1.ReasonWorkloadFailed, "run workload w", errors.New("killed"))),
			result.Failure{Reason: v1alpha1.ReasonInterrupted,
				Message: "The runner was told to stop; could not run workload w: killed."},
		},
		"interrupted, and something is left": {
			errors.Join(ErrInterrupted, errors.Join(
				failure.Wrap(v1alpha1.ReasonWorkloadFailed, "run workload w", errors.New("killed")),
				failure.Wrap(v1alpha1.ReasonCleanupFailed, "clean up", errors.New("busy")))),
			result.Failure{
				Reason:  v1alpha1.ReasonCleanupFailed,
				Message: "The runner was told to stop; could not run workload w: killed; could not clean up: busy.",
			},
		},
		"timed out": {errTimedOut, result.Failure{Reason: v1alpha1.ReasonTimedOut,
			Message: "The benchmark's running time is up."}},
		"unknown": {errors.New("x"), result.Failure{Reason: v1alpha1.ReasonRunnerFailed, Message: "X."}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(&test.want, failureOf(test.err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestStepOfNothing(t *testing.T) {
	if err := failure.Wrap(v1alpha1.ReasonPoolFailed, "do", nil); err != nil {
		t.Error(err)
	}
}

// What cannot be set up ends the benchmark, and one of many variants must say which it is.
func TestFailureTellsItsVariant(t *testing.T) {
	cause := failure.Wrap(v1alpha1.ReasonClaimFailed, "claim the volume", errors.New("the pool is full"))
	several := &Engine{plan: plan.Plan{Variants: []plan.Variant{{}, {}}}}
	trial := plan.Trial{Variant: "compression=lz4"}
	f := failureOf(several.nameVariant(trial, cause))
	if want := "Variant compression=lz4: could not claim the volume: the pool is full."; f.Message != want ||
		f.Reason != v1alpha1.ReasonClaimFailed {
		t.Errorf("failure %+v, want %q", f, want)
	}
	left := failure.Wrap(v1alpha1.ReasonCleanupFailed, "destroy the pool", errors.New("busy"))
	if f := failureOf(several.nameVariant(trial, errors.Join(cause, left))); f.Reason != v1alpha1.ReasonCleanupFailed {
		t.Errorf("failure %+v hides what is left on the node", f)
	}
	one := &Engine{plan: plan.Plan{Variants: []plan.Variant{{}}}}
	if err := one.nameVariant(trial, cause); err.Error() != cause.Error() {
		t.Errorf("the only variant is told: %v", err)
	}
	if err := several.nameVariant(trial, nil); err != nil {
		t.Error(err)
	}
}
