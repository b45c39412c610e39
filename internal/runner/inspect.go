// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"strings"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/target"
)

// inspect examines the pool with zdb after the last pass of a workload that requests it. Measuring is over by then, and
// the pool is synced. If something cannot be found out, the result says why.
func (e *Engine) inspect(ctx context.Context, t *target.Target, of plan.Run, s *result.Sample) {
	on, can := e.host.Storage(t).(target.Inspectable)
	if len(of.Workload.Inspect) == 0 || !can || of.Pass > 0 && of.Pass < of.Workload.Passes() {
		return
	}
	e.atStep(t.Trial, "inspect the pool", of.Workload.Name)
	found := &result.Inspected{}
	for _, what := range of.Workload.Inspect {
		if err := on.InspectOne(ctx, t, what, *s, found); err != nil {
			e.Log.Warn("an inspection with zdb failed", "inspection", what, "pool", t.Pool(), "error", err)
			if found.Missing == nil {
				found.Missing = map[string]string{}
			}
			found.Missing[string(what)] = strings.Join(strings.Fields(err.Error()), " ")
		}
	}
	s.Inspected = found
}
