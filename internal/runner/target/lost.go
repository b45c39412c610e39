// SPDX-License-Identifier: Apache-2.0

package target

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

// GoneError says that a target has lost devices. OpenZFS does not always suspend a pool then: version 2.3 may also try
// for ever to write to the device.
type GoneError struct {
	// What names the target in words; Reason is the reason of the failure.
	What, Reason string
	Devices      []result.OwnedDevice
	// neverEnds says that whatever waits for the devices may wait for ever.
	neverEnds bool
}

func (e *GoneError) Error() string {
	lost := fmt.Sprintf("%s has lost a device, the node no longer has %s", e.What, ownership.Names(e.Devices))
	if e.neverEnds {
		return lost + "; if processes keep waiting for it, only a reboot of the node helps"
	}
	return fmt.Sprintf("%s: plug it in again, or, if it never comes back, give it up with the annotation %s, and "+
		"delete the benchmark; reboot the node only if processes keep waiting for the device after that", lost,
		v1alpha1.AnnotationForgetDevices)
}

// lostDevices is a *GoneError if the node no longer has a device that a target is on, or nil. It reads only what the
// kernel answers at once.
func (h *Host) lostDevices(t *Target) error {
	var gone []result.OwnedDevice
	for _, c := range t.Counters {
		if _, err := h.Node.DeviceBytes([]monitor.DeviceNumber{c.Number}); errors.Is(err, fs.ErrNotExist) {
			gone = append(gone, c.Device)
		}
	}
	return h.lost(t.Own, gone)
}

// untilGone is a context that ends some time after recorded disks have gone: work that needs them does not wait for
// ever, and work that does not need them has time to finish. The delay is also needed because udev briefly removes the
// links to a disk whenever somebody has written to it.
func (h *Host) untilGone(ctx context.Context, own result.Ownership) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		tick := time.NewTicker(h.Timings.StatePoll)
		defer tick.Stop()
		there := time.Now()
		for {
			gone := h.goneDevices(own)
			if gone == nil {
				there = time.Now()
			}
			if time.Since(there) >= h.Timings.GonePatience {
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

// goneDevices is a *GoneError if recorded disks are not there, or nil.
func (h *Host) goneDevices(own result.Ownership) error {
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
	return h.lost(own, gone)
}

// lost is a *GoneError, or nil if nothing is gone.
func (h *Host) lost(own result.Ownership, gone []result.OwnedDevice) error {
	if len(gone) == 0 {
		return nil
	}
	kind := h.StorageOf(own)
	reason, neverEnds := kind.onLoss()
	return &GoneError{What: kind.name(own), Reason: reason, Devices: gone, neverEnds: neverEnds}
}

// withGone puts the loss of recorded disks before an error that it has caused. If untilGone has canceled the context,
// the loss is the whole error.
func (h *Host) withGone(ctx context.Context, own result.Ownership, err error) error {
	var gone *GoneError
	if errors.As(err, &gone) {
		return err
	}
	if errors.Is(err, context.Canceled) && errors.As(context.Cause(ctx), &gone) {
		return gone
	}
	return errors.Join(h.goneDevices(own), err)
}
