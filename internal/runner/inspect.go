// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"strings"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/target"
)

// inspect looks at the pool with zdb after a workload, after its last pass, if it asks for that. It only adds to a
// result: what cannot be found out is missing there, with its reason. What was measured is measured by then, and the
// pool is synced.
func (e *Engine) inspect(ctx context.Context, t *target.Target, of plan.Run, s *result.Sample) {
	on, can := e.host.Storage(t).(target.Inspectable)
	if len(of.Workload.Inspect) == 0 || !can || of.Pass > 0 && of.Pass < of.Workload.Passes() {
		return
	}
	e.atStep(t.Trial, "inspect the pool", of.Workload.Name)
	found := &result.Inspected{}
	for _, what := range of.Workload.Inspect {
		if err := on.InspectOne(ctx, t, what, *s, found); err != nil {
			e.Log.Warn("what zdb was to find out is not known", "inspection", what, "pool", t.Pool(), "error", err)
			if found.Missing == nil {
				found.Missing = map[string]string{}
			}
			found.Missing[string(what)] = strings.Join(strings.Fields(err.Error()), " ")
		}
	}
	s.Inspected = found
}
