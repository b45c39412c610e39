// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// A plan may have one rerun for every trialsPerRerun trials, but at least leastReruns. More reruns would make the
// running time unpredictable, and would favour good results.
const (
	trialsPerRerun = 5
	leastReruns    = 2
)

// Excludes says whether a failure with this reason excludes the attempt, whatever it had measured. Such reasons are:
// the tool failed; the pool was not ONLINE, was busy with something else, or counted errors.
func Excludes(reason string) bool {
	return slices.Contains([]string{
		v1alpha1.ReasonWorkloadFailed, v1alpha1.ReasonPoolNotOnline, v1alpha1.ReasonPoolBusy, v1alpha1.ReasonVdevErrors,
	}, reason)
}

// MaxReruns is how many attempts may be excluded and run again in all trials of a plan together.
func MaxReruns(p plan.Plan) int { return max(leastReruns, plan.MostTrials(p)/trialsPerRerun) }

// MayRerun says whether a trial may be run again after an excluded attempt. The limits of the trial and the plan apply.
// If all attempts of another trial of the same variant failed for such a cause, it may not: the variant most likely
// always fails, and its other trials get one attempt each. excluded counts the earlier excluded attempts of the trial.
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
