// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"slices"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/stats"
)

// End says after which repetition a plan ends.
type End struct {
	// Repetitions are all repetitions of the plan, unless it ends earlier.
	Repetitions int
	// Decided says that the plan has ended, according to the results.
	Decided bool
	// Converged says that every result is as certain as the plan requests. It means nothing if the plan requests
	// nothing.
	Converged bool
	// Confirming are the variants that the confirming repetitions measure, in the order of the plan: the leaders and
	// their references. It is empty until the end is decided.
	Confirming []string

	// last is the last repetition before the confirming ones.
	last int
}

// EndOf finds the first repetition after which a plan ends. All repetitions up to that one must be complete. It must be
// the last one, or, from the plan's minimum on, every result must be certain enough. Later results change nothing. A
// failed trial has no value; a variant with fewer values than the minimum prevents an early end. Confirming repetitions
// come after that end, and do not change it.
func EndOf(p plan.Plan, trials []result.Trial) End {
	searched := NodeTrials{Plan: p, Trials: trials}.Searched()
	end := endOfSearch(p, searched.Trials)
	end.last = p.Repetitions()
	if end.Decided && p.ConfirmingRepetitions > 0 {
		searched.Trials = end.Counted(searched.Trials)
		end.Confirming = searched.confirming()
	}
	return end
}

func endOfSearch(p plan.Plan, trials []result.Trial) End {
	last := p.Repetitions()
	complete := completeRepetitions(p, trials)
	if p.Stopping == nil || complete < p.Stopping.MinRepetitions {
		return End{Repetitions: last, Decided: complete == last}
	}
	series := seriesOf(p, trials)
	for n := p.Stopping.MinRepetitions; n <= complete; n++ {
		converged := series.converged(p, n)
		if converged || n == last {
			return End{Repetitions: n, Decided: true, Converged: converged}
		}
	}
	return End{Repetitions: last}
}

// wants says whether a variant's trial in a repetition is needed.
func (e End) wants(repetition int, variant string) bool {
	return repetition <= e.Repetitions || repetition > e.last && slices.Contains(e.Confirming, variant)
}

// Counted are the results that count: those up to the repetition after which the plan ends, and those of the confirming
// repetitions. A runner may have measured more. If that counted too, a runner could choose the end by the outcome.
func (e End) Counted(trials []result.Trial) []result.Trial {
	if !e.Decided {
		return trials
	}
	var counted []result.Trial
	for _, t := range trials {
		if e.wants(t.Repetition, t.Variant) {
			counted = append(counted, t)
		}
	}
	return counted
}

// Wanted are the trials that a plan needs, in order: the trials up to the repetition after which it ends, and then,
// once that is decided, the confirming trials.
func (e End) Wanted(p plan.Plan) []plan.Trial {
	var wanted []plan.Trial
	for _, t := range p.Trials {
		if e.wants(t.Repetition, t.Variant) {
			wanted = append(wanted, t)
		}
	}
	return wanted
}

// completeRepetitions is how many repetitions, counted from the first one, have a result or a failure for each of their
// trials.
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

// metricSeries is one metric with the first repetition in which it was measured.
type metricSeries struct {
	table
	since int
}

type allSeries []metricSeries

func seriesOf(p plan.Plan, trials []result.Trial) allSeries {
	var all allSeries
	for _, m := range Metrics(p, trials) {
		s := metricSeries{table: m.tabulate(trials), since: p.Repetitions()}
		for _, values := range s.table {
			for repetition := range values {
				s.since = min(s.since, repetition)
			}
		}
		all = append(all, s)
	}
	return all
}

// converged applies the stopping rule to the first n repetitions of every metric and variant. The reference variant
// counts only through the ratios of the other variants.
func (all allSeries) converged(p plan.Plan, n int) bool {
	decided, references, rule := false, p.References(), rule(p)
	for _, s := range all {
		if s.since > n {
			continue
		}
		for _, v := range p.Variants {
			if v.Reference == "" && references[v.Name] {
				continue
			}
			series := s.paired(v, n)
			if len(series.Values) < p.Stopping.MinRepetitions {
				return false
			}
			decision, err := rule.Decide([]stats.Series{series})
			if err != nil || !decision.Converged {
				return false
			}
			decided = true
		}
	}
	return decided
}
