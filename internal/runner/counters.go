// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"errors"
	"time"

	"zfsbench.io/operator/internal/node/monitor"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/target"
)

// reading is what the node has done since boot.
type reading struct {
	at     time.Time
	cpu    float64
	others monitor.Others
	// errOthers is of what only warns.
	err, errOthers error
}

// readBefore and readAfter enclose a workload. What takes longer to read, a file for each process, is outside of the
// rest.
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

// between adds to a sample, which knows the time of its tool, what the node did from one reading to the other.
func (e *Engine) between(before, after reading, s *result.Sample) error {
	s.Started, s.NodeCPUSeconds = before.at, after.cpu-before.cpu
	if err := errors.Join(before.errOthers, after.errOthers); err != nil {
		e.Log.Warn("what the node did for others is not known", "workload", s.Workload, "error", err)
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
