// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/monitor"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/ownership"
)

// goneError is something that has lost a device. OpenZFS does not always suspend a pool then: 2.3 can also write to the
// device for ever.
type goneError struct {
	// what has lost them, in words, and the reason of that failure.
	what, reason string
	devices      []result.OwnedDevice
	// isPool says that it is a pool: what waits for one that lacks devices may never end.
	isPool bool
}

func (e *goneError) Error() string {
	lost := fmt.Sprintf("%s has lost a device, the node no longer has %s", e.what, ownership.Names(e.devices))
	if e.isPool {
		return lost + "; if what waits for it does not end, only a reboot of the node helps"
	}
	return fmt.Sprintf("%s: plug it in again, or, if it never comes back, give it up with the annotation %s, and "+
		"delete the benchmark; "+
		"reboot the node only if what waits for it does not end then", lost, v1alpha1.AnnotationForgetDevices)
}

// lostDevices is a *goneError if the node no longer has a device that a target is on, or nil. It reads only what the
// kernel answers at once.
func (h *host) lostDevices(t *target) error {
	var gone []result.OwnedDevice
	for _, c := range t.counters {
		if _, err := h.Node.DeviceBytes([]monitor.DeviceNumber{c.number}); errors.Is(err, fs.ErrNotExist) {
			gone = append(gone, c.device)
		}
	}
	return lost(t.own, gone)
}

// untilGone is a context that ends some time after recorded disks are gone: what would wait for them is not held up,
// what can do without them gets it done. udev takes the links to a disk away for a moment whenever somebody has written
// to it.
func (h *host) untilGone(ctx context.Context, own result.Ownership) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		tick := time.NewTicker(h.timings.statePoll)
		defer tick.Stop()
		there := time.Now()
		for {
			gone := goneDevices(own)
			if gone == nil {
				there = time.Now()
			}
			if time.Since(there) >= h.timings.gonePatience {
				cancel(gone)
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}

// goneDevices is a *goneError if recorded disks are not there, or nil.
func goneDevices(own result.Ownership) error {
	var gone []result.OwnedDevice
	for _, d := range own.Devices {
		missing := slices.ContainsFunc(ownership.Paths(d), func(path string) bool {
			_, err := os.Stat(path)
			return errors.Is(err, fs.ErrNotExist)
		})
		if d.File == "" && d.Gone == "" && missing {
			gone = append(gone, d)
		}
	}
	return lost(own, gone)
}

func lost(own result.Ownership, gone []result.OwnedDevice) error {
	if len(gone) == 0 {
		return nil
	}
	e := &goneError{what: ownership.Describe(own), reason: v1alpha1.ReasonPoolFailed, devices: gone,
		isPool: own.Baseline == ""}
	if !e.isPool {
		e.reason = v1alpha1.ReasonBaselineFailed
	}
	if uuid := own.ArrayUUID(); uuid != "" {
		e.what += " " + uuid
	}
	return e
}

// withGone puts recorded disks that are gone before what failed because of them. A context that was ended because of
// them says nothing of its own.
func withGone(ctx context.Context, own result.Ownership, err error) error {
	var gone *goneError
	if errors.As(err, &gone) {
		return err
	}
	if errors.Is(err, context.Canceled) && errors.As(context.Cause(ctx), &gone) {
		return gone
	}
	return errors.Join(goneDevices(own), err)
}
