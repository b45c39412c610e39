// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"strconv"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/stats"
	"zfsbench.io/operator/internal/text/human"
)

// Steady counts the trials in which a workload became steady that is repeated until it is.
type Steady struct {
	Reached int `json:"reached"`
	Trials  int `json:"trials"`
	// Rounds is the median of how many rounds there were.
	Rounds float64 `json:"rounds"`
}

// steadyOf is nil for a workload that is not repeated.
func steadyOf(group []observation) *Steady {
	var s Steady
	var rounds []float64
	for _, o := range group {
		if o.sample.Steady == nil {
			continue
		}
		rounds = append(rounds, float64(len(o.sample.Steady.IOPS)))
		if s.Trials++; o.sample.Steady.Reached {
			s.Reached++
		}
	}
	if s.Trials == 0 {
		return nil
	}
	s.Rounds = stats.Median(rounds)
	return &s
}

// steadyColumns say in how many trials a workload was steady, if there are such workloads.
func steadyColumns(entries []entry) []column {
	if !slices.ContainsFunc(entries, func(e entry) bool { return e.Steady != nil }) {
		return nil
	}
	return []column{{"Steady", func(e entry) string {
		if e.Steady == nil {
			return "-"
		}
		return fmt.Sprintf("%d of %d, %s rounds", e.Steady.Reached, e.Steady.Trials, human.Digits(e.Steady.Rounds))
	}}}
}

// steadyLegend explains that column.
func (m *page) steadyLegend() {
	if slices.ContainsFunc(m.Results, func(r Measurement) bool { return r.Steady != nil }) {
		m.printf("Steady: in how many trials the last rounds were alike enough, and the median number of rounds. Only the last rounds are measured.\n")
	}
}

// steadyCSV are empty for a workload that is not repeated until it is steady.
var steadyCSV = []csvColumn{
	{"steady", ofSteady(func(s result.SteadyState) string { return strconv.FormatBool(s.Reached) })},
	{"steady_rounds", ofSteady(func(s result.SteadyState) string { return strconv.Itoa(len(s.IOPS)) })},
	{"steady_range_fraction", ofSteady(func(s result.SteadyState) string { return decimal(s.Range) })},
	{"steady_slope_fraction", ofSteady(func(s result.SteadyState) string { return decimal(s.Slope) })},
}

func ofSteady(of func(result.SteadyState) string) func(row) string {
	return func(r row) string {
		if r.sample.Steady == nil {
			return ""
		}
		return of(*r.sample.Steady)
	}
}
