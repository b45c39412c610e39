// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/fill"
)

// Operable is storage on which a workload can run an operation, like a scrub.
type Operable interface {
	Storage
	// OperationTool is the name of an operation's tool in samples, and its version.
	OperationTool(w v1alpha1.Workload) (name, version string)
	// OperationOf is the operation that a workload requests; nil if this storage does not have it.
	OperationOf(w v1alpha1.Workload) func(context.Context, *Target) (Operated, error)
	// proveOwn returns nil if what is recorded as owned is there, and provably is what the benchmark has made.
	proveOwn(ctx context.Context, t *Target) error
	// Fills is the storage that a workload can fill with files; nil if it cannot.
	Fills() Fillable
}

// Operated is an operation that ended well.
type Operated struct {
	Argv   []string
	Phases []result.Phase
}

// OperableOf is the storage for a workload's operation, proved to be ours.
func (h *Host) OperableOf(ctx context.Context, t *Target, w v1alpha1.Workload) (Operable, error) {
	s, can := h.Storage(t).(Operable)
	if can && w.Pool != nil && w.Pool.Fill != nil {
		can = s.Fills() != nil
	} else if can {
		can = s.OperationOf(w) != nil
	}
	if !can {
		return nil, fmt.Errorf("this runner does not support the operation on %s", h.Describe(t.Own))
	}
	return s, s.proveOwn(ctx, t)
}

// withDuration is a phase of one operation that took this long.
func withDuration(p result.Phase, nanoseconds int64) result.Phase {
	p.RuntimeNanoseconds = max(1, nanoseconds)
	p.IOPS = 1e9 / float64(p.RuntimeNanoseconds)
	return p
}

// withBytes adds the bytes that a phase has moved, if they are known. Its rate is then in bytes, not in operations.
func withBytes(p result.Phase, bytes int64, reads bool) result.Phase {
	if bytes > 0 {
		p.IOs, p.IOPS = 0, 0
		p.Bytes, p.Reads, p.BandwidthBytesPerSecond = bytes, reads, float64(bytes)/float64(p.RuntimeNanoseconds)*1e9
	}
	return p
}

// Fillable is storage that can be filled with files.
type Fillable interface {
	// Space is how much of it is used and available, Fullness the same with more details.
	Space(ctx context.Context, t *Target) (fill.Space, error)
	Fullness(ctx context.Context, t *Target) (result.PoolSpace, error)
	// Flush waits until what was written is on the disks and counted as used.
	Flush(ctx context.Context, t *Target) error
}

// SpaceOf is the part of a pool's space that filling it needs.
func SpaceOf(s result.PoolSpace) fill.Space {
	return fill.Space{Used: s.UsedBytes, Available: s.AvailableBytes}
}

// Destroyable is storage with a dataset that can be destroyed before all of it is torn down.
type Destroyable interface {
	// CanDestroy says whether the destruction can be timed.
	CanDestroy(t *Target) bool
	// DestroyDataset returns how long it took, in nanoseconds.
	DestroyDataset(ctx context.Context, t *Target) (nanoseconds int64, err error)
}

// Inspectable is storage that zdb can examine.
type Inspectable interface {
	InspectOne(ctx context.Context, t *Target, what v1alpha1.Inspection, s result.Sample, found *result.Inspected) error
}
