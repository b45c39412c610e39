// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/target"
	"zfsbench.io/operator/internal/tools/fio"
)

// inRounds repeats a workload until it is steady, or for its maximum of rounds. Its last rounds are the result.
func (e *Engine) inRounds(ctx context.Context, t *target.Target, run plan.Run, position int) (result.Sample, error) {
	how := run.Workload.Fio.SteadyState.WithDefaults()
	var rounds []result.Sample
	var iops []float64
	var steady result.SteadyState
	for run.Round = 1; run.Round <= int(how.Rounds); run.Round++ {
		s, err := e.workload(ctx, t, run, position)
		if err != nil {
			return result.Sample{}, err
		}
		if err := e.host.Storage(t).CheckUndisturbed(ctx, t, run.Workload); err != nil {
			return result.Sample{}, err
		}
		rounds, iops = append(rounds, s), append(iops, fio.IOPS(s))
		steady = result.SteadyStateOf(iops, int(how.Window))
		if steady.Reached && how.Then == v1alpha1.SteadyEnds {
			break
		}
	}
	all := fio.InRounds(rounds[len(rounds)-int(how.Window):])
	all.Steady, all.CacheState = &steady, rounds[0].CacheState
	return all, nil
}
