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
	"zfsbench.io/operator/internal/storage/blockdev"
	"zfsbench.io/operator/internal/storage/hostfs"
	"zfsbench.io/operator/internal/storage/mdraid"
)

// actionCheck is the kernel's name for comparing copies or parity with the data.
const actionCheck = "check"

// stepAwait is the step that waits until the array has finished an operation.
const stepAwait = "wait for the md array"

func (s arrayStorage) OperationTool(w v1alpha1.Workload) (name, version string) {
	if on, can := s.Storage.(Operable); can && on.OperationOf(w) != nil {
		return on.OperationTool(w)
	}
	return mdraid.Tool, mdraid.Tool + "-" + s.host.ArrayTool
}

// OperationOf is an operation of the array, or of the storage on it.
func (s arrayStorage) OperationOf(w v1alpha1.Workload) func(context.Context, *Target) (Operated, error) {
	switch o := w.OnPool(); {
	case o == nil:
		return nil
	case o.Scrub != nil:
		return s.check
	case o.Offline != nil:
		return func(ctx context.Context, t *Target) (Operated, error) { return s.offline(ctx, t, o.Offline.Device) }
	case o.Online != nil:
		return func(ctx context.Context, t *Target) (Operated, error) { return s.online(ctx, t, o.Online.Device) }
	case o.Replace != nil:
		return func(ctx context.Context, t *Target) (Operated, error) { return s.replace(ctx, t, *o.Replace) }
	}
	if on, can := s.Storage.(Operable); can {
		return on.OperationOf(w)
	}
	return nil
}

func (s arrayStorage) Fills() Fillable {
	if on, can := s.Storage.(Operable); can {
		return on.Fills()
	}
	return nil
}

// proveOwn returns nil if the recorded partitions are in the recorded array, that is still the device that was found
// after it was made, and what is mounted is on it.
func (s arrayStorage) proveOwn(ctx context.Context, t *Target) error {
	device, err := s.host.Disks.FindArray(ctx, t.Own.Devices)
	if err == nil && device != t.array {
		err = fmt.Errorf("it is no longer %s, but %q", t.array, device)
	}
	if err != nil {
		return fmt.Errorf("the md array is not provably this benchmark's and is not touched: %w", err)
	}
	if on, can := s.Storage.(Operable); can {
		return on.proveOwn(ctx, t)
	}
	return nil
}

// check reads all devices and compares redundant data. Its rate is what it reads. With parity, every difference is
// damage; mirrored copies may differ harmlessly, if the data changed in memory while it was written.
func (s arrayStorage) check(ctx context.Context, t *Target) (Operated, error) {
	before, err := s.state(ctx, t)
	if err != nil {
		return Operated{}, err
	}
	argv := mdraid.Check(t.array)
	phase, err := s.host.timed(v1alpha1.OperationScrub, func() error {
		if err := s.host.Baselines.Make(ctx, argv); err != nil {
			return err
		}
		return s.await(ctx, t, func(now hostfs.Array) (bool, error) { return now.IsIdle(), nil })
	})
	if err != nil {
		return Operated{}, err
	}
	after, err := s.state(ctx, t)
	if err == nil && after.LastAction != actionCheck {
		err = fmt.Errorf("the kernel has not checked the array; its last action was %s", after.LastAction)
	}
	if level, known := mdraid.Of(v1alpha1.MDLevel(after.Level)); err == nil && known && level.HasParity() &&
		after.MismatchBytes > 0 {
		err = failure.Wrap(v1alpha1.ReasonVdevErrors, "use the result of the scrub",
			fmt.Errorf("it found damage: %d bytes do not match their parity", after.MismatchBytes))
	}
	read := before.DeviceBytes * int64(before.Disks-before.Degraded)
	return Operated{argv, []result.Phase{withBytes(phase, read, true)}}, err
}

// offline fails a device and removes it from the array. From then on, the array must be without it.
func (s arrayStorage) offline(ctx context.Context, t *Target, name string) (Operated, error) {
	m, err := s.member(ctx, t, name, true)
	if err != nil {
		return Operated{}, err
	}
	fail, remove := mdraid.Fail(t.array, m.Device), mdraid.Remove(t.array, m.Device)
	proving := int64(0)
	phase, err := s.host.timed(v1alpha1.OperationOffline, func() (err error) {
		if err := s.host.Baselines.Make(ctx, fail); err != nil {
			return err
		}
		proving, err = s.remove(ctx, t, name, m, remove)
		return err
	})
	if err != nil {
		return Operated{}, err
	}
	phase = shorter(phase, proving)
	if t.offline == nil {
		t.offline = map[string]string{}
	}
	t.offline[name] = m.Device
	return Operated{inTurn(fail, remove), []result.Phase{phase}}, nil
}

// remove removes a device that is no longer in use from an array. It retries, because the array may still have I/O
// pending there. The proof may be out of date by then, so it is repeated. remove returns how long the proofs took.
func (s arrayStorage) remove(ctx context.Context, t *Target, name string, was blockdev.ArrayMember,
	argv []string) (proving int64, err error) {
	err = s.host.retryBusy(ctx, func() error {
		took, err := s.proveAgain(ctx, t, name, was)
		proving += took
		if err != nil {
			return err
		}
		return s.host.Baselines.Make(ctx, argv)
	})
	return proving, err
}

// proveAgain proves that a name is still the same device of the array: it may change between two commands. It returns
// how long that took.
func (s arrayStorage) proveAgain(ctx context.Context, t *Target, name string,
	was blockdev.ArrayMember) (nanoseconds int64, err error) {
	return s.host.took(func() error {
		m, err := s.member(ctx, t, name, true)
		if err == nil && m.Device != was.Device {
			err = fmt.Errorf("device %s is now %s, but was %s", name, m.Device, was.Device)
		}
		return err
	})
}

// shorter subtracts time that is not part of the operation from a phase.
func shorter(p result.Phase, nanoseconds int64) result.Phase {
	return withDuration(p, p.RuntimeNanoseconds-nanoseconds)
}

// online adds a device to the array again, and waits until it has caught up. Without a bitmap the kernel does not know
// what the device missed, and writes all of it: then the phase has a rate.
func (s arrayStorage) online(ctx context.Context, t *Target, name string) (Operated, error) {
	m, err := s.member(ctx, t, name, false)
	if err == nil && !m.WasIn {
		err = fmt.Errorf("device %s has no superblock of the md array, so it was not part of it", name)
	}
	if err != nil {
		return Operated{}, err
	}
	state, err := s.state(ctx, t)
	if err != nil {
		return Operated{}, err
	}
	add := mdraid.Add(t.array, m.Device)
	phase, err := s.host.timed(v1alpha1.OperationOnline, func() error { return s.recover(ctx, t, m, add) })
	if err != nil {
		return Operated{}, err
	}
	delete(t.offline, name)
	if state.Bitmap == "none" {
		phase = withBytes(phase, state.DeviceBytes, false)
	}
	return Operated{add, []result.Phase{phase}}, nil
}

// replace replaces a device by another one, and waits until the new one is in sync: md writes all of it, used or not.
// If the old device is still in use, md copies it, and it is removed afterwards.
func (s arrayStorage) replace(ctx context.Context, t *Target, o v1alpha1.ReplaceOperation) (Operated, error) {
	with, err := s.member(ctx, t, o.With, false)
	if err == nil && with.WasIn {
		err = fmt.Errorf("device %s has a superblock of the md array, so it was part of it already", o.With)
	}
	if err != nil {
		return Operated{}, err
	}
	_, isOffline := t.offline[o.Device]
	old, err := s.member(ctx, t, o.Device, !isOffline)
	if err != nil {
		return Operated{}, err
	}
	state, err := s.state(ctx, t)
	if err != nil {
		return Operated{}, err
	}
	commands := [][]string{mdraid.Add(t.array, with.Device)}
	proving := int64(0)
	phase, err := s.host.timed(v1alpha1.OperationReplace, func() error {
		if isOffline {
			return s.recover(ctx, t, with, commands[0])
		}
		if err := s.host.Baselines.Make(ctx, commands[0]); err != nil {
			return err
		}
		tookWith, errWith := s.proveAgain(ctx, t, o.With, with)
		tookOld, errOld := s.proveAgain(ctx, t, o.Device, old)
		proving = tookWith + tookOld
		if err := errors.Join(errWith, errOld); err != nil {
			return err
		}
		commands = append(commands, mdraid.Replace(t.array, old.Device, with.Device))
		return s.recover(ctx, t, with, commands[1])
	})
	if err == nil && !isOffline {
		commands = append(commands, mdraid.Remove(t.array, old.Device))
		_, err = s.remove(ctx, t, o.Device, old, commands[2])
	}
	if err != nil {
		return Operated{}, err
	}
	delete(t.offline, o.Device)
	return Operated{inTurn(commands...), []result.Phase{withBytes(shorter(phase, proving), state.DeviceBytes, false)}}, nil
}

// recover runs a command that adds a device to the array, and waits until the device is in sync.
func (s arrayStorage) recover(ctx context.Context, t *Target, m blockdev.ArrayMember, argv []string) error {
	if err := s.host.Baselines.Make(ctx, argv); err != nil {
		return err
	}
	return s.await(ctx, t, func(now hostfs.Array) (bool, error) {
		is, err := s.host.Baselines.MemberState(t.array, m.Device)
		if err == nil && (len(is) == 0 || slices.Contains(is, "faulty")) {
			err = fmt.Errorf("the md array has lost %s again: its state is %q", m.Device, is)
		}
		return now.IsIdle() && slices.Contains(is, "in_sync"), err
	})
}

// await waits until the array is in the wanted state. It gives up when the devices have read nothing for too long.
func (s arrayStorage) await(ctx context.Context, t *Target, wanted func(hostfs.Array) (bool, error)) error {
	return s.host.runWhileReading(ctx, t, func(ctx context.Context) error {
		poll := time.NewTicker(s.host.Timings.ArrayPoll)
		defer poll.Stop()
		for {
			state, err := s.state(ctx, t)
			if err != nil {
				return err
			}
			if is, err := wanted(state); is || err != nil {
				return err
			}
			s.showProgress(stepAwait, state)
			select {
			case <-poll.C:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	})
}

// member proves a device of the trial right before it is written to. isIn says whether the array must have it.
func (s arrayStorage) member(ctx context.Context, t *Target, name string, isIn bool) (blockdev.ArrayMember, error) {
	m, err := s.host.Disks.FindMember(ctx, t.Own.Devices, name)
	switch {
	case err != nil:
	case m.Array != t.array:
		err = fmt.Errorf("the md array is now %s, but was %s", m.Array, t.array)
	case isIn && !m.IsIn:
		err = errors.New("the md array does not have it")
	case !isIn && m.IsIn:
		err = errors.New("the md array has it already")
	}
	if err != nil {
		return blockdev.ArrayMember{}, fmt.Errorf("device %s: %w", name, err)
	}
	return m, nil
}

// inTurn joins commands that run one after the other.
func inTurn(commands ...[]string) []string {
	var argv []string
	for i, command := range commands {
		if i > 0 {
			argv = append(argv, "&&")
		}
		argv = append(argv, command...)
	}
	return argv
}
