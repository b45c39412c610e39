// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/result"
)

var errCommand = errors.New("the command failed")

// A disk that was pulled from an md array ends its teardown after a while. The message names array and disk, and says
// what helps.
func TestADiskPulledFromAnArray(t *testing.T) {
	const uuid = "0c7c9a41-8a2e-4fbb-9f4d-1f2d3c4b5a69"
	own := result.Ownership{Baseline: "ext4", Devices: []result.OwnedDevice{{
		Name: "d1", Path: "/dev/disk/by-id/d1", Partitions: []result.OwnedPartition{{GUID: "not-there", ArrayUUID: uuid}},
	}}}
	const gone = "the ext4 filesystem on its md array " + uuid +
		" has lost a device, the node no longer has d1 at /dev/disk/by-id/d1: " +
		"plug it in again, or, if it never comes back, give it up with the annotation zfsbench.io/forget-devices, and " +
		"delete the benchmark; " +
		"reboot the node only if processes keep waiting for the device after that"
	const left = "could not clean up; the ext4 filesystem on its md array " + uuid +
		" is left on d1 at /dev/disk/by-id/d1: "
	tests := map[string]struct {
		do   func(context.Context) error
		want string
	}{
		"a command that waits": {
			func(ctx context.Context) error {
				<-ctx.Done()
				return &hostexec.ExitError{Args: []string{"mdadm", "--stop"}, Code: -1, Err: ctx.Err()}
			}, gone,
		},
		"the guard": {func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }, gone},
		"what does not return": {
			func(ctx context.Context) error {
				<-ctx.Done()
				return fmt.Errorf("it does not return: %w", context.Cause(ctx))
			},
			"it does not return: " + gone,
		},
		"what fails at once": {func(context.Context) error { return errCommand }, gone + "\n" + errCommand.Error()},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := &Host{Timings: Timings{StatePoll: time.Second, GonePatience: time.Minute}}
				err := e.teardownBaseline(t.Context(), own, func(ctx context.Context,
					_ result.Ownership) error {
					return test.do(ctx)
				})
				if err == nil || err.Error() != left+test.want {
					t.Errorf("got  %v\nwant %s", err, left+test.want)
				}
				synctest.Wait()
			})
		})
	}
}

func TestLostDeviceOfABaseline(t *testing.T) {
	err := (&Host{}).lost(result.Ownership{Baseline: "ext4"},
		[]result.OwnedDevice{{Name: "d0", Path: "/dev/disk/by-id/d0"}})
	var gone *GoneError
	if !errors.As(err, &gone) || gone.Reason != v1alpha1.ReasonBaselineFailed ||
		!strings.HasPrefix(err.Error(), "the ext4 filesystem has lost a device") {
		t.Errorf("error %v", err)
	}
}
