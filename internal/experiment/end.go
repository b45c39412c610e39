// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/stats"
)

// End says after which repetition a plan ends.
type End struct {
	// Repetitions are all that the plan has, as long as nothing ends it before.
	Repetitions int
	// Decided says that the plan is at its end, by the results there are.
	Decided bool
	// Converged says that every result is as certain as the plan asks. It means nothing for a plan that does not ask.
	Converged bool
}

// EndOf finds the first repetition after which a plan ends by its results: when all that came before are complete, and either it is the last one or, from the plan's minimum on, every
// result is certain enough. A trial that failed has no value; a variant that has not as many values as the minimum keeps a plan from ending early.
func EndOf(p plan.Plan, trials []result.Trial) End {
	last := p.Repetitions()
	complete := completeRepetitions(p, trials)
	if p.Stopping == nil {
		return End{Repetitions: last, Decided: complete == last}
	}
	tables := tabulateAll(p, trials)
	for n := p.Stopping.MinRepetitions; n <= complete; n++ {
		converged := converged(p, tables, n)
		if converged || n == last {
			return End{Repetitions: n, Decided: true, Converged: converged}
		}
	}
	return End{Repetitions: last}
}

// Wanted are the trials that a plan needs, as far as its results tell: all of them, or those up to the repetition after which it ends.
func Wanted(p plan.Plan, trials []result.Trial) []plan.Trial {
	end := EndOf(p, trials)
	var wanted []plan.Trial
	for _, t := range p.Trials {
		if t.Repetition <= end.Repetitions {
			wanted = append(wanted, t)
		}
	}
	return wanted
}

// completeRepetitions is how many repetitions from the first one on have a result for each of their trials, be it a failure.
func completeRepetitions(p plan.Plan, trials []result.Trial) int {
	have := make(map[int]bool, len(trials))
	for _, t := range trials {
		have[t.Index] = true
	}
	first := p.Repetitions() + 1
	for _, t := range p.Trials {
		if !have[t.Index] {
			first = min(first, t.Repetition)
		}
	}
	return first - 1
}

func tabulateAll(p plan.Plan, trials []result.Trial) []table {
	var tables []table
	for _, m := range Metrics(p, trials) {
		tables = append(tables, m.tabulate(trials))
	}
	return tables
}

// converged asks the stopping rule about the first n repetitions of every metric and variant. The reference variant counts only through the others' ratios to it.
func converged(p plan.Plan, tables []table, n int) bool {
	asked := false
	for _, t := range tables {
		for _, v := range p.Variants {
			if v.Reference == "" && isReference(p, v.Name) {
				continue
			}
			series := t.paired(v, n)
			if len(series.Values) < p.Stopping.MinRepetitions {
				return false
			}
			decision, err := rule(p).Decide([]stats.Series{series})
			if err != nil || !decision.Converged {
				return false
			}
			asked = true
		}
	}
	return asked
}
