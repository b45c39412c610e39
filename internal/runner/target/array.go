// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"errors"
	"fmt"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
	"zfsbench.io/operator/internal/storage/hostfs"
	"zfsbench.io/operator/internal/storage/mdraid"
)

// arrayStorage is a filesystem, or nothing, on an md array of several partitions.
type arrayStorage struct {
	// Storage is what is on the array.
	Storage
	host *Host
}

// stepSync is the step that waits until all devices of a new array are in sync.
const stepSync = "wait for the array's first sync"

func (s arrayStorage) name(own result.Ownership) string {
	return s.Storage.name(own) + " on its md array " + own.ArrayUUID()
}

func (s arrayStorage) Steps() []Step {
	return append([]Step{{"make md array", s.create}, {"find md array", s.find}, {stepSync, s.awaitSync}},
		s.Storage.Steps()...)
}

// create makes the array with the recorded UUID.
func (s arrayStorage) create(ctx context.Context, t *Target) error {
	array := t.Variant.Array()
	if array == nil || t.Own.ArrayUUID() == "" {
		return failure.Wrap(v1alpha1.ReasonBaselineFailed, "make the md array",
			errors.New("the variant has none, or no UUID is recorded for it"))
	}
	create := mdraid.Create{Array: *array, Name: plan.PoolName(t.Own.BenchmarkUID, t.Own.TrialIndex),
		UUID: t.Own.ArrayUUID()}
	for _, name := range array.Devices {
		create.Devices = append(create.Devices, t.Paths[name])
	}
	t.arrayMade = create.Argv()
	var err error
	t.Times.ArrayCreate, err = s.host.took(func() error { return s.host.Baselines.Make(ctx, t.arrayMade) })
	t.arrayBegan = s.host.Now()
	return failure.Wrap(v1alpha1.ReasonBaselineFailed, "make the md array", err)
}

// find finds the array's block device by its partitions, because udev makes the link in /dev/md only later.
func (s arrayStorage) find(ctx context.Context, t *Target) error {
	device, err := s.host.Disks.FindArray(ctx, t.Own.Devices)
	if err == nil && device == "" {
		err = errors.New("it does not exist, although mdadm has created it")
	}
	t.array = device
	return failure.Wrap(v1alpha1.ReasonBaselineFailed, "find the new md array", err)
}

// awaitSync waits until the array is in sync: until then, the kernel reads and writes all its devices, which would
// disturb the workload.
func (s arrayStorage) awaitSync(ctx context.Context, t *Target) error {
	const doing = "wait for the first sync of the md array"
	poll := time.NewTicker(s.host.Timings.SyncPoll)
	defer poll.Stop()
	for {
		state, err := s.state(ctx, t)
		if err != nil {
			return failure.Wrap(v1alpha1.ReasonBaselineFailed, doing, err)
		}
		if state.InSync() {
			t.Times.ArraySync = max(1, s.host.Now().Sub(t.arrayBegan).Nanoseconds())
			return nil
		}
		s.showProgress(stepSync, state)
		select {
		case <-poll.C:
		case <-ctx.Done():
			return failure.Wrap(v1alpha1.ReasonBaselineFailed, doing, context.Cause(ctx))
		}
	}
}

// showProgress shows how far the kernel's sync, check or recovery is.
func (s arrayStorage) showProgress(step string, state hostfs.Array) {
	s.host.ShowStep(fmt.Sprintf("%s: %s, %d%%", step, state.Action, state.Percent))
}

func (s arrayStorage) state(ctx context.Context, t *Target) (state hostfs.Array, err error) {
	err = s.host.Bounded(ctx, func() error {
		now, err := s.host.Baselines.ArrayState(t.array)
		state = now
		return err
	})
	return state, err
}

func (s arrayStorage) Describe(ctx context.Context, t *Target, sample *result.Sample) error {
	if err := s.Storage.Describe(ctx, t, sample); err != nil {
		return err
	}
	state, err := s.state(ctx, t)
	if err != nil {
		return failure.Wrap(v1alpha1.ReasonBaselineFailed, "read the facts of the md array", err)
	}
	facts := &result.ArrayFacts{
		Level: state.Level, Disks: state.Disks, Degraded: state.Degraded, Layout: mdraid.Layout(state.Level, state.Layout),
		Bitmap: state.Bitmap, MadeWith: t.arrayMade,
		LeastSyncBytesPerSecond: state.LeastSyncBytesPerSecond, MostSyncBytesPerSecond: state.MostSyncBytesPerSecond,
	}
	// Only a check counts mismatches: the first sync counts the blocks that it writes to make the array redundant.
	if state.LastAction == actionCheck {
		facts.MismatchBytes = state.MismatchBytes
	}
	if level, known := mdraid.Of(v1alpha1.MDLevel(state.Level)); known && level.Stripes() {
		facts.ChunkBytes = state.ChunkBytes
	}
	sample.Baseline.Array = facts
	return nil
}

// CheckUndisturbed fails if the array lacks more or fewer devices than the scenario has taken offline, or if the kernel
// works on it in the background, for example for the node's monthly check of its arrays.
func (s arrayStorage) CheckUndisturbed(ctx context.Context, t *Target, w v1alpha1.Workload) error {
	if err := s.Storage.CheckUndisturbed(ctx, t, w); err != nil {
		return err
	}
	doing := fmt.Sprintf("measure workload %s undisturbed", w.Name)
	state, err := s.state(ctx, t)
	switch {
	case err != nil:
	case state.Degraded != len(t.offline):
		err = fmt.Errorf("%d of the %d devices of the md array are missing or have failed, it should be %d", state.Degraded,
			state.Disks, len(t.offline))
	case !state.IsIdle():
		err = fmt.Errorf("the kernel was working on the md array in the background: %s", state.Action)
	}
	return failure.Wrap(v1alpha1.ReasonBaselineFailed, doing, err)
}

// Teardown unmounts what is on the array, stops the array, and erases its members' superblocks. An array that is not
// provably ours, or that somebody else uses, stays as it is.
func (s arrayStorage) Teardown(ctx context.Context, own *result.Ownership) error {
	return s.host.teardownBaseline(ctx, *own, s.dismantle)
}

func (s arrayStorage) dismantle(ctx context.Context, own result.Ownership) error {
	h := s.host
	device, err := h.Disks.FindArray(ctx, own.Devices)
	if err != nil {
		return err
	}
	var ours []string
	if device != "" {
		ours = append(ours, device)
	}
	if err := h.unmountFilesystem(ctx, own, ours...); err != nil {
		return err
	}
	return h.Bounded(ctx, func() error { return h.Disks.Dismantle(ctx, own.Devices) })
}
