// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"errors"
	"time"

	"zfsbench.io/operator/internal/node/monitor"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/target"
)

// reading is one reading of the node's counters, which count from boot.
type reading struct {
	at     time.Time
	cpu    float64
	others monitor.Others
	// errOthers is the error of others. It only causes a warning.
	err, errOthers error
}

// readBefore and readAfter enclose a workload. Reading others takes longest, a file for each process, so it comes first
// before the workload and last after it.
func (e *Engine) readBefore(t *target.Target) reading {
	var r reading
	r.others, r.errOthers = e.Node.Others(t.Numbers())
	r.at = e.Now()
	r.cpu, r.err = e.Node.CPUSeconds()
	return r
}

func (e *Engine) readAfter(t *target.Target) reading {
	var r reading
	r.cpu, r.err = e.Node.CPUSeconds()
	r.at = e.Now()
	r.others, r.errOthers = e.Node.Others(t.Numbers())
	return r
}

// between adds to a sample what the node did between two readings. The sample must already have its tool's CPU time.
func (e *Engine) between(before, after reading, s *result.Sample) error {
	s.Started, s.NodeCPUSeconds = before.at, after.cpu-before.cpu
	if err := errors.Join(before.errOthers, after.errOthers); err != nil {
		e.Log.Warn("the node's other load could not be read", "workload", s.Workload, "error", err)
		return errors.Join(before.err, after.err)
	}
	others := after.others.Sub(before.others)
	s.Others = &result.Others{
		ElapsedSeconds: max(0, after.at.Sub(before.at).Seconds()), StolenCPUSeconds: others.StolenSeconds,
		CapacityCPUSeconds: others.CapacitySeconds,
		DiskBytes:          others.DiskBytes,
		// A process that ends while all are read can be seen twice: as itself, and in its parent.
		CPUSeconds: min(others.CPUSeconds, max(0, s.NodeCPUSeconds-s.ToolCPUSeconds)),
	}
	return errors.Join(before.err, after.err)
}
