// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/ownership"
	"zfsbench.io/operator/internal/tools/fill"
)

// operable is storage that workloads can do something with in place of running a tool on it.
type operable interface {
	storage
	// operationTool is what samples call the tool of an operation, and its version.
	operationTool(w v1alpha1.Workload) (name, version string)
	// operationOf is what a workload asks for; nil if that cannot be done.
	operationOf(w v1alpha1.Workload) func(context.Context, *target) (operated, error)
	// proveOwn returns nil if what is recorded as owned is there, and provably is what it was made as.
	proveOwn(ctx context.Context, t *target) error
	// fills is what a workload can fill with files; nil if it cannot.
	fills() fillable
}

// operated is an operation that ended well.
type operated struct {
	argv   []string
	phases []result.Phase
}

// operableOf is what a workload does something with, proved to be ours right before.
func (h *host) operableOf(ctx context.Context, t *target, w v1alpha1.Workload) (operable, error) {
	s, can := h.storage(t).(operable)
	if can && w.Pool != nil && w.Pool.Fill != nil {
		can = s.fills() != nil
	} else if can {
		can = s.operationOf(w) != nil
	}
	if !can {
		return nil, fmt.Errorf("this runner cannot do that with %s", ownership.Describe(t.own))
	}
	return s, s.proveOwn(ctx, t)
}

// lasting is a phase of one operation that took so long.
func lasting(p result.Phase, nanoseconds int64) result.Phase {
	p.RuntimeNanoseconds = max(1, nanoseconds)
	p.IOPS = 1e9 / float64(p.RuntimeNanoseconds)
	return p
}

// moving says how many bytes a phase has moved, if any are known: then they are its rate.
func moving(p result.Phase, bytes int64, reads bool) result.Phase {
	if bytes > 0 {
		p.IOs, p.IOPS = 0, 0
		p.Bytes, p.Reads, p.BandwidthBytesPerSecond = bytes, reads, float64(bytes)/float64(p.RuntimeNanoseconds)*1e9
	}
	return p
}

// fillable is what can be filled with files.
type fillable interface {
	// space is how much of it is taken, fullness the same with all else that is known of that.
	space(ctx context.Context, t *target) (fill.Space, error)
	fullness(ctx context.Context, t *target) (result.PoolSpace, error)
	// flush waits until what was written is on the disks and counts.
	flush(ctx context.Context, t *target) error
}

func spaceOf(s result.PoolSpace) fill.Space {
	return fill.Space{Used: s.UsedBytes, Available: s.AvailableBytes}
}

// destroyable is storage with a dataset that can be destroyed before all of it is torn down.
type destroyable interface {
	// canDestroy says whether that can be timed.
	canDestroy(t *target) bool
	// destroyDataset returns how long it took, in nanoseconds.
	destroyDataset(ctx context.Context, t *target) (nanoseconds int64, err error)
}

// inspectable is storage that zdb can look at.
type inspectable interface {
	inspectOne(ctx context.Context, t *target, what v1alpha1.Inspection, s result.Sample, found *result.Inspected) error
}
