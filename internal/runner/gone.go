// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/ownership"
	"zfsbench.io/operator/internal/storage/blockdev"
)

// markGone marks the recorded disks that are no longer the benchmark's: disks that are provably used for something else
// now, and disks that the node does not have and that an administrator has given up. It returns the missing disks that
// nobody has given up.
func (e *Engine) markGone(ctx context.Context, own *result.Ownership) (missing []result.OwnedDevice) {
	own.Devices = slices.Clone(own.Devices)
	for i := range own.Devices {
		d := &own.Devices[i]
		if d.File != "" || d.Gone != "" {
			continue
		}
		switch where, why := e.Disks.Locate(ctx, *d); where {
		case blockdev.Repurposed:
			d.Gone = why
		case blockdev.Missing:
			if e.isForgotten(ctx, *d) {
				d.Gone = fmt.Sprintf("no disk of the node has its serial number %s, and it was given up with the annotation %s",
					d.Serial, v1alpha1.AnnotationForgetDevices)
				break
			}
			missing = append(missing, *d)
		}
	}
	e.recordGone(*own)
	return missing
}

// isForgotten says whether an administrator has given the disk up. If that cannot be read, the answer is no.
func (e *Engine) isForgotten(ctx context.Context, d result.OwnedDevice) bool {
	forgotten, err := e.Sink.ForgottenDevices(ctx)
	if err != nil {
		e.Log.Warn("the list of disks that are given up could not be read", "error", err)
	}
	return slices.Contains(forgotten, d.Serial) || slices.Contains(forgotten, d.Path)
}

// missingDisks says what to do about disks that the node does not have.
func (e *Engine) missingDisks(missing []result.OwnedDevice) error {
	if len(missing) == 0 {
		return nil
	}
	d := missing[0]
	return fmt.Errorf("no disk of the node has the serial number %s of device %s, so it is not known what is left on "+
		"it: plug it in again, or, if it never comes back, run kubectl annotate zfsbenchmark %s -n %s %s=%s, with all "+
		"such disks separated by commas (%s), and delete the benchmark", d.Serial, d.Name, e.plan.Benchmark.Name,
		e.plan.Benchmark.Namespace, v1alpha1.AnnotationForgetDevices, d.Serial, ownership.Names(missing))
}

// recordGone notes for the report which disks are no longer the benchmark's, and why.
func (e *Engine) recordGone(own result.Ownership) {
	e.gone = nil
	for _, d := range own.Devices {
		if d.Gone != "" {
			e.Log.Warn("a recorded disk is no longer the benchmark's, and is left alone", "device", d.Name, "why", d.Gone)
			e.gone = append(e.gone, fmt.Sprintf("device %s is no longer the benchmark's: %s", d.Name, d.Gone))
		}
	}
}
