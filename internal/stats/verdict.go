// SPDX-License-Identifier: Apache-2.0

package stats

import "math"

// Goal says which values of a metric are better.
type Goal int

const (
	// Maximize is the goal of bandwidth and IOPS.
	Maximize Goal = iota
	// Minimize is the goal of latency and CPU time.
	Minimize
)

// Verdict is what a comparison with the reference variant comes to.
type Verdict string

const (
	// Better than the reference by more than the margin, and not by chance.
	Better Verdict = "Better"
	// Worse than the reference by more than the margin, and not by chance.
	Worse Verdict = "Worse"
	// Equivalent to the reference within the margin.
	Equivalent Verdict = "Equivalent"
	// Inconclusive is none of the others: more blocks are needed to say.
	Inconclusive Verdict = "Inconclusive"
)

const significance = 0.05

// Judge calls a comparison Better or Worse if its p value after Holm's correction is below 0.05 and its ratio beyond
// the margin (0.03 for 3%): above 1+margin or below 1/(1+margin), so that it does not matter which of the two variants
// is the reference. It is Equivalent if its 90% interval lies within the margin, which is two one-sided tests at 5% (D.
// J. Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15 (1987) 657-680).
func Judge(c Comparison, holmP, margin float64, goal Goal) Verdict {
	switch {
	case c.Interval90.within(margin):
		return Equivalent
	case holmP >= significance || math.Abs(math.Log(c.Ratio)) <= math.Log1p(margin):
		return Inconclusive
	case c.Ratio > 1 == (goal == Maximize):
		return Better
	}
	return Worse
}
