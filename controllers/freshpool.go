// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// checkFreshPool checks that a trial had a new pool. If the plan shares a pool between the repetitions of a variant,
// the pool may have had at most one trial for each earlier repetition.
func checkFreshPool(p plan.Plan, trial result.Trial) error {
	most := 0
	if p.KeepsPools() {
		most = trial.Repetition - 1
	}
	if trial.EarlierOnPool < 0 || trial.EarlierOnPool > most {
		return fmt.Errorf("%d trials ran on its pool before; there can have been at most %d", trial.EarlierOnPool, most)
	}
	return nil
}
