// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// A plan may be rerun once for every trialsPerRerun trials, and leastReruns times in any case. More reruns would make
// the running time unpredictable, and would select for good results.
const (
	trialsPerRerun = 5
	leastReruns    = 2
)

// Excludes says whether a failure with this reason excludes the attempt, regardless of what it had measured: the tool
// failed, or the pool was not ONLINE, busy with something else, or counted errors.
func Excludes(reason string) bool {
	return slices.Contains([]string{
		v1alpha1.ReasonWorkloadFailed, v1alpha1.ReasonPoolNotOnline, v1alpha1.ReasonPoolBusy, v1alpha1.ReasonVdevErrors,
	}, reason)
}

// MaxReruns is how many attempts may be excluded and run again in all trials of a plan together.
func MaxReruns(p plan.Plan) int { return max(leastReruns, plan.MostTrials(p)/trialsPerRerun) }

// MayRerun says whether a trial may be run again after an attempt that was excluded: within the bounds of the trial
// and the plan, and unless its variant has failed for such a cause in all attempts of another trial. Such a variant
// most likely always fails; its other trials have one attempt each. excluded counts the attempts of the trial before
// this one.
func MayRerun(p plan.Plan, finished []result.Trial, t plan.Trial, excluded int) bool {
	reruns := excluded
	for _, done := range finished {
		reruns += len(done.Excluded)
		if done.Variant == t.Variant && done.Failure != nil && Excludes(done.Failure.Reason) {
			return false
		}
	}
	return excluded < result.MaxExcluded && reruns < MaxReruns(p)
}
