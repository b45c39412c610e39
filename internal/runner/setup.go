// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/zfs"
)

// setUp makes a trial's pool and dataset. From the recording of the intent on, whatever it returns has to be torn down.
func (e *Engine) setUp(ctx context.Context, t plan.Trial) (*target, error) {
	variant, found := e.plan.Variant(t.Variant)
	if !found {
		return nil, step(v1alpha1.ReasonRunnerFailed, "find the trial's variant", fmt.Errorf("the plan has no variant %q", t.Variant))
	}
	tgt := &target{trial: t, variant: variant, paths: map[string]string{}}
	for _, do := range []struct {
		step string
		run  func(context.Context, *target) error
	}{
		{"check devices", e.claim},
		{"prepare devices", e.prepareDevices},
		{"set module parameters", e.setParameters},
		{"create pool", e.createPool},
		{"create dataset", e.createDataset},
		{"mount", e.mount},
	} {
		e.atStep(t, do.step, "")
		if err := do.run(ctx, tgt); err != nil {
			return tgt, err
		}
	}
	return tgt, nil
}

// claim checks the trial's disks and records, here and at the sink, what is about to be owned, and which module parameters may change. Nothing has been written to a device or a
// parameter when it returns.
func (e *Engine) claim(ctx context.Context, t *target) error {
	devices := e.plan.DevicesOf(t.variant.Pool)
	t.verdicts = e.disksOf(ctx, devices)
	for _, verdict := range t.verdicts {
		if verdict.Refusal != nil {
			return step(v1alpha1.ReasonDeviceRefused, "use the disks", verdict.Refusal)
		}
	}
	t.own = intent(e.plan, e.digest, t.trial, devices, e.ws, e.newGUID)
	if err := e.recordParameters(t); err != nil {
		return err
	}
	return e.record(ctx, t.own)
}

// record puts ownership into the journal and then to the sink.
func (e *Engine) record(ctx context.Context, own result.Ownership) error {
	if err := e.journal.own(own); err != nil {
		return step(v1alpha1.ReasonRunnerFailed, "record what the trial owns on the node", err)
	}
	if err := e.Sink.PutOwnership(ctx, own); err != nil {
		return step(v1alpha1.ReasonRunnerFailed, "record what the trial owns", err)
	}
	return nil
}

// createPool lets OpenZFS check first, creates the pool, and records its GUID at once.
func (e *Engine) createPool(ctx context.Context, t *target) error {
	create, err := e.poolToCreate(t.variant, t.pool(), t.paths)
	if err != nil {
		return step(v1alpha1.ReasonPoolFailed, "lay out the pool", err)
	}
	for _, dryRun := range []bool{true, false} {
		create.DryRun = dryRun
		if err := e.Pools.CreatePool(ctx, create); err != nil {
			return step(v1alpha1.ReasonPoolFailed, "create the pool", err)
		}
	}
	additions, err := zfs.Additions(t.pool(), t.variant.Pool, t.paths)
	if err != nil {
		return step(v1alpha1.ReasonPoolFailed, "lay out the pool", err)
	}
	for _, add := range additions {
		if err := e.Pools.AddVdev(ctx, add); err != nil {
			return step(v1alpha1.ReasonPoolFailed, "create the pool", err)
		}
	}
	pool, found, err := e.findPool(ctx, t.pool())
	if err == nil && !found {
		err = errors.New("it is not there after it was created")
	}
	if err != nil {
		return step(v1alpha1.ReasonPoolFailed, "find the new pool", err)
	}
	t.own.PoolGUID = pool.GUID
	return e.record(ctx, t.own)
}

// poolToCreate is a variant's pool on devices with these paths.
func (e *Engine) poolToCreate(v plan.Variant, name string, paths map[string]string) (zfs.CreatePool, error) {
	layout, err := zfs.Layout(v.Pool, paths)
	if err != nil {
		return zfs.CreatePool{}, err
	}
	return zfs.CreatePool{
		Name: name, Comment: poolComment(e.plan.Benchmark.UID), Ashift: v.Pool.Ashift, Layout: layout,
		Properties:     textProperties(v.Pool.Properties),
		UserProperties: map[string]string{zfs.OwnerProperty: e.plan.Benchmark.UID},
	}, nil
}

// findPool finds an imported pool by its name.
func (e *Engine) findPool(ctx context.Context, name string) (zfs.Pool, bool, error) {
	pools, err := e.Pools.Pools(ctx)
	if err != nil {
		return zfs.Pool{}, false, err
	}
	for _, p := range pools {
		if p.Name == name {
			return p, true, nil
		}
	}
	return zfs.Pool{}, false, nil
}

// createDataset makes the dataset that the workloads run on.
func (e *Engine) createDataset(ctx context.Context, t *target) error {
	spec := t.variant.Dataset
	if !t.isVolume() {
		err := e.Pools.CreateFilesystem(ctx, t.dataset(), textProperties(spec.Properties))
		return step(v1alpha1.ReasonPoolFailed, "create the filesystem", err)
	}
	if spec.Volume == nil {
		return step(v1alpha1.ReasonPoolFailed, "create the volume", errors.New("it has no size"))
	}
	_, err := e.Pools.CreateVolume(ctx, zfs.Volume{
		Name: t.dataset(), SizeBytes: spec.Volume.Size.Value(), Sparse: spec.Volume.Sparse, Properties: textProperties(spec.Properties),
	})
	return step(v1alpha1.ReasonPoolFailed, "create the volume", err)
}

// mount makes the dataset usable: a filesystem is mounted in the runner's own namespace, of a volume the block device is found, which an import may have
// given another number.
func (e *Engine) mount(ctx context.Context, t *target) error {
	if t.isVolume() {
		return step(v1alpha1.ReasonPoolFailed, "find the volume's device", e.findVolume(ctx, t))
	}
	properties, err := e.Pools.Get(ctx, t.dataset(), "atime", "relatime")
	if err != nil {
		return step(v1alpha1.ReasonPoolFailed, "mount the filesystem", err)
	}
	err = e.bounded(ctx, func() error { return e.Mounts.Mount(t.dataset(), e.ws.target(), mountOptions(properties)) })
	return step(v1alpha1.ReasonPoolFailed, "mount the filesystem", err)
}

// findVolume finds the block device of a volume, and makes sure that it is that volume's: the workload is going to overwrite it. The link may still lead to
// where it led before.
func (e *Engine) findVolume(ctx context.Context, t *target) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, e.busyPoll, busyPatience, true, func(ctx context.Context) (bool, error) {
		last = e.tryVolume(ctx, t)
		return last == nil, nil
	})
	return errors.Join(err, last)
}

func (e *Engine) tryVolume(ctx context.Context, t *target) error {
	device, err := e.Pools.VolumeDevice(ctx, t.dataset())
	if err != nil {
		return err
	}
	name, err := e.Mounts.VolumeName(device)
	if err != nil {
		return err
	}
	if name != t.dataset() {
		return fmt.Errorf("%s is volume %s, not %s", device, name, t.dataset())
	}
	t.device = device
	return nil
}

// bounded runs something that takes no context and may wait in the kernel for ever, as everything that touches a suspended pool. It is left behind only
// when it does not return for some time after the context has ended: what takes effect later would escape the teardown.
func (e *Engine) bounded(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	patience := time.NewTimer(e.kernelPatience)
	defer patience.Stop()
	select {
	case err := <-done:
		return err
	case <-patience.C:
		return fmt.Errorf("it does not return: %w", context.Cause(ctx))
	}
}

// textProperties are an API's properties as the tools take them.
func textProperties[M ~map[string]v1alpha1.PropertyValue](in M) map[string]string {
	out := make(map[string]string, len(in))
	for name, value := range in {
		out[name] = string(value)
	}
	return out
}

// appendNew appends a string that is not there yet.
func appendNew(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}
