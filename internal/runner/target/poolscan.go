// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
	"zfsbench.io/operator/internal/runner/ownership"
	"zfsbench.io/operator/internal/storage/zfs"
)

// errNoProgress is the cause of a context that ended because a scan has stalled.
var errNoProgress = errors.New("it makes no progress: the devices have read nothing for too long")

// scrub reads everything in the pool. Its rate is computed from the allocated bytes, each of which OpenZFS reads at
// least once.
func (s poolStorage) scrub(ctx context.Context, t *Target) (Operated, error) {
	before, err := s.Pools.PoolFacts(ctx, t.Pool(), t.dataset())
	if err != nil && before.Health == "" {
		return Operated{}, err
	}
	command := zfs.Scrub(t.Pool())
	phase, err := s.timed(v1alpha1.OperationScrub, func() error { return s.runUnlessStalled(ctx, t, command) })
	if err != nil {
		return Operated{}, err
	}
	scan, err := s.lastScan(ctx, t, zfs.ScanScrub)
	if err == nil && scan.Bytes > 0 {
		err = failure.Wrap(v1alpha1.ReasonVdevErrors, "use the result of the scrub",
			fmt.Errorf("it found damage: %d bytes had to be repaired", scan.Bytes))
	}
	return Operated{command.Argv(), []result.Phase{withBytes(phase, before.AllocatedBytes, true)}}, err
}

// lastScan is the pool's last scan. It must be of this kind and have ended without errors.
func (s poolStorage) lastScan(ctx context.Context, t *Target, kind string) (zfs.Scan, error) {
	status, err := s.Pools.Status(ctx, t.Pool())
	switch scan := status.Scan; {
	case err != nil:
		return scan, err
	case scan.Kind != kind:
		return scan, fmt.Errorf("no %s has finished; zpool says %q", kind, scan.Text)
	case scan.Errors > 0:
		return scan, failure.Wrap(v1alpha1.ReasonVdevErrors, "use the result of the "+kind,
			fmt.Errorf("it found damage: %d errors could not be repaired", scan.Errors))
	}
	return status.Scan, nil
}

// runUnlessStalled runs a command that scans the pool, and ends it when the devices read nothing for too long.
func (s poolStorage) runUnlessStalled(ctx context.Context, t *Target, command zfs.Operation) error {
	return s.runWhileReading(ctx, t, func(ctx context.Context) error { return s.Pools.Operate(ctx, command) })
}

// runWhileReading runs do, which makes the devices read, and ends it when they read nothing for too long.
func (h *Host) runWhileReading(ctx context.Context, t *Target, do func(context.Context) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go h.watchScan(ctx, *t, stop)
	err := do(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errNoProgress) {
		return errors.Join(errNoProgress, err)
	}
	return err
}

// watchScan ends the context when the target's devices have read nothing for some time. It reads only what the kernel
// answers at once.
func (h *Host) watchScan(ctx context.Context, t Target, stop context.CancelCauseFunc) {
	tick := time.NewTicker(h.Timings.ScanPoll)
	defer tick.Stop()
	var read int64
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now, err := h.Node.DeviceBytes(t.Numbers())
		if err != nil || now.Read != read {
			read, last = now.Read, time.Now()
			continue
		}
		if time.Since(last) >= h.Timings.ScanPatience {
			stop(errNoProgress)
			return
		}
	}
}

// offline takes a device offline. From then on it must stay offline.
func (s poolStorage) offline(ctx context.Context, t *Target, device string) (Operated, error) {
	path, err := s.vdevPath(ctx, t, device)
	if err != nil {
		return Operated{}, err
	}
	command := zfs.Offline(t.Pool(), path)
	phase, err := s.timed(v1alpha1.OperationOffline, func() error { return s.Pools.Operate(ctx, command) })
	if err != nil {
		return Operated{}, err
	}
	if t.offline == nil {
		t.offline = map[string]string{}
	}
	t.offline[device] = path
	return Operated{command.Argv(), []result.Phase{phase}}, nil
}

// online brings a device online again, and waits until it is resilvered. Its rate is what was written to the device.
func (s poolStorage) online(ctx context.Context, t *Target, device string) (Operated, error) {
	path, err := s.vdevPath(ctx, t, device)
	if err != nil {
		return Operated{}, err
	}
	before, err := s.Pools.Status(ctx, t.Pool())
	if err != nil {
		return Operated{}, err
	}
	command, wait := zfs.Online(t.Pool(), path), zfs.WaitResilvered(t.Pool())
	began := false
	phase, err := s.timed(v1alpha1.OperationOnline, func() error {
		err := s.Pools.Operate(ctx, command)
		if err == nil {
			began, err = s.awaitResilver(ctx, t, before.Scan)
		}
		if err == nil && began {
			err = s.runUnlessStalled(ctx, t, wait)
		}
		return err
	})
	if err != nil {
		return Operated{}, err
	}
	delete(t.offline, device)
	var scan zfs.Scan
	if began {
		scan, err = s.lastScan(ctx, t, zfs.ScanResilver)
	}
	argv := slices.Concat(command.Argv(), []string{"&&"}, wait.Argv())
	return Operated{argv, []result.Phase{withBytes(phase, scan.Bytes, false)}}, err
}

// awaitResilver waits until the pool's last scan differs from before: then a resilver has begun, or is already over. A
// device that missed nothing needs no resilver; then it returns false after ResilverPatience.
func (s poolStorage) awaitResilver(ctx context.Context, t *Target, before zfs.Scan) (bool, error) {
	for begin := s.Now(); ; {
		if err := s.Pools.Sync(ctx, t.Pool()); err != nil {
			return false, err
		}
		status, err := s.Pools.Status(ctx, t.Pool())
		if err != nil || status.Scan != before {
			return err == nil, err
		}
		if s.Now().Sub(begin) >= s.Timings.ResilverPatience {
			return false, nil
		}
		select {
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-time.After(s.Timings.BusyPoll):
		}
	}
}

// replace replaces a device by another one, and waits until the resilver is over. Its rate is what was written to the
// new device.
func (s poolStorage) replace(ctx context.Context, t *Target, o v1alpha1.ReplaceOperation) (Operated, error) {
	path, err := s.vdevPath(ctx, t, o.Device)
	if err != nil {
		return Operated{}, err
	}
	with, err := s.ownPath(ctx, t, o.With)
	if err != nil {
		return Operated{}, err
	}
	command := zfs.Replace(t.Pool(), path, with)
	phase, err := s.timed(v1alpha1.OperationReplace, func() error { return s.runUnlessStalled(ctx, t, command) })
	if err != nil {
		return Operated{}, err
	}
	delete(t.offline, o.Device)
	scan, err := s.lastScan(ctx, t, zfs.ScanResilver)
	return Operated{command.Argv(), []result.Phase{withBytes(phase, scan.Bytes, false)}}, err
}

// vdevPath is the pool's path of a device.
func (s poolStorage) vdevPath(ctx context.Context, t *Target, device string) (string, error) {
	paths, err := s.Pools.VdevPaths(ctx, t.Pool())
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(paths, func(path string) bool { return ownership.SamePath(path, t.Paths[device]) })
	if i < 0 {
		return "", fmt.Errorf("the pool does not have device %s", device)
	}
	return paths[i], nil
}

// ownPath is the path of a device that the trial has prepared and that is not in the pool. Because it is about to be
// written to, the guard proves it again.
func (s poolStorage) ownPath(ctx context.Context, t *Target, name string) (string, error) {
	path := t.Paths[name]
	i := slices.IndexFunc(t.Own.Devices, func(d result.OwnedDevice) bool {
		return slices.ContainsFunc(ownership.Paths(d), func(owned string) bool { return ownership.SamePath(owned, path) })
	})
	if path == "" || i < 0 {
		return "", fmt.Errorf("device %s is not prepared", name)
	}
	if _, err := s.vdevPath(ctx, t, name); err == nil {
		return "", fmt.Errorf("the pool has device %s already", name)
	}
	if t.Own.Devices[i].File != "" {
		return path, nil
	}
	return path, s.Disks.Prove(ctx, t.Own.Devices[i])
}
