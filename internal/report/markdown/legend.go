// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"slices"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/stats"
	"zfsbench.io/operator/internal/text/human"
)

// legend begins the appendix: what the columns of the result tables mean, and how their numbers came about.
func (m *page) legend() {
	if len(m.Results) == 0 {
		return
	}
	m.printf("\n## Appendix: how to read the tables\n\n")
	if m.Varies() {
		m.variantLegend()
	} else {
		m.note("n: repetitions.")
	}
	rate := title(m.rateWord())
	switch {
	case m.Varies():
		m.note(rate + ": geometric mean over the repetitions. IOPS, CPU and Device/app: medians.")
	default:
		m.note(rate + ", IOPS, CPU and Device/app: medians over the repetitions.")
	}
	if m.isCertain() {
		m.note(fmt.Sprintf("95%%: how far the 95%% interval of the %s's geometric mean reaches.", m.rateWord()),
			"CV: coefficient of variation, standard deviation / mean.")
	} else {
		m.note("Spread: fastest minus slowest repetition, as a fraction of the median.")
	}
	if len(m.Comparisons) > 0 {
		m.comparisonLegend()
	}
	m.note("CPU s/GiB: time that the node's CPUs worked, ZFS's kernel threads included, per GiB read and written.",
		"Device/app: bytes that the devices read or wrote per byte of the workload: more than 1 with redundancy and "+
			"metadata, "+
			"less with compression or caching.",
		"Mean to Max: total latency (submission and completion) of all I/O of all repetitions.")
	m.note(slices.Concat(m.latencyNotes(), m.workloadLegend(), m.orderNotes(), m.convergenceNotes(true))...)
}

// variantLegend explains columns that only tables of several variants have.
func (m *page) variantLegend() {
	among := "equal redundancy, sync and checksum"
	if len(m.Nodes) > 1 {
		among += " on the same node"
	}
	m.note(fmt.Sprintf("Rank: by %s, among variants of %s. The intervals say which of them really differ.",
		m.rateWord(), among))
	for _, c := range m.protectionColumns() {
		if c.title == ">Redundancy" {
			m.note("Redundancy: how many devices may fail, whichever they are, without loss of data.")
		}
	}
	if len(m.usableColumns()) > 0 {
		m.note("Usable: estimated space in a new pool.")
	}
	m.note("n: repetitions without a failure.")
}

// comparisonLegend explains ratios and verdicts.
func (m *page) comparisonLegend() {
	m.note(
		fmt.Sprintf("Ratio: to the %s of the reference variant in the same repetition, geometric mean.", m.rateWord()),
		fmt.Sprintf("p: probability of such a ratio if there is no difference, corrected for all %s (Holm).",
			human.Plural(len(m.Comparisons), "comparison")),
		fmt.Sprintf("%s, %s: p is below 0.05 and the ratio is beyond the margin of %s.", stats.Better, stats.Worse,
			human.Percent(m.Margin)),
		fmt.Sprintf("%s: the 90%% interval of the ratio is within the margin.", stats.Equivalent),
		fmt.Sprintf("%s: neither is certain. It does not mean equal.", stats.Inconclusive),
	)
}

// workloadLegend explains what is special about some workloads: steady states, jobs and phases.
func (m *page) workloadLegend() []string {
	var lines []string
	if slices.ContainsFunc(m.Results, func(r model.Measurement) bool { return r.Steady != nil }) {
		lines = append(lines, "Steady: in how many trials the last rounds were alike enough, and the median number of "+
			"rounds. "+
			"Only the last rounds are measured.")
	}
	if m.haveJobs() {
		lines = append(lines, "Read and write are of all jobs of a workload together, from the start of the first until "+
			"the end of "+
			"the last; clientRead would be of its job client alone. CPU is of the whole workload.")
	}
	if m.havePhases() {
		lines = append(lines, "Rates of operations that move no bytes are operations per second: directories, files, seeks.",
			"Sync: time to write out what was in memory after the phase; the rate leaves it out. CPU is of the whole workload.")
	}
	return lines
}
