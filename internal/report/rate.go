// SPDX-License-Identifier: Apache-2.0

package report

import (
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/human"
)

// rateOf is a rate of a measurement for people: a bandwidth, or operations per second if it moves no bytes.
func rateOf(m Measurement, perSecond float64) string { return rateText(perSecond, !m.movesBytes()) }

// median is that of the rate.
func (m Measurement) median() float64 {
	if m.movesBytes() {
		return m.BandwidthBytesPerSecond
	}
	return m.IOPS
}

func (m Measurement) movesBytes() bool { return m.BandwidthBytesPerSecond > 0 }

func rateText(perSecond float64, inOperations bool) string {
	if inOperations {
		return human.Count(perSecond) + "/s"
	}
	return human.Rate(perSecond)
}

// rateWord is what all rates of the document together are called.
func (m *page) rateWord() string {
	if slices.ContainsFunc(m.Results, func(r Measurement) bool { return !r.movesBytes() }) {
		return "rate"
	}
	return "bandwidth"
}

// rateTitle is the title of a column of rates.
func rateTitle(entries []entry) string {
	if slices.ContainsFunc(entries, func(e entry) bool { return !e.movesBytes() }) {
		return ">Rate"
	}
	return ">Bandwidth"
}

// title is a word as it begins a sentence.
func title(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// syncColumns say how long writing out took after each phase, if there are phases after which it was measured.
func syncColumns(entries []entry) []column {
	if !slices.ContainsFunc(entries, func(e entry) bool { return e.SyncSeconds > 0 }) {
		return nil
	}
	return []column{{">Sync", func(e entry) string {
		if e.SyncSeconds == 0 {
			return "-"
		}
		return human.Latency(e.SyncSeconds * 1e9)
	}}}
}

// phaseLegend explains what is said of phases, or of jobs, only.
func (m *page) phaseLegend() {
	m.steadyLegend()
	if m.haveJobs() {
		m.printf("Read and write are of all jobs of a workload together, from when the first of them begins until the last one ends; clientRead would be of its\n")
		m.printf("job client alone. CPU is of the whole workload.\n")
	}
	if !m.havePhases() {
		return
	}
	m.printf("Rates of operations that move no bytes are operations per second: directories, files, seeks. Sync: time to write\n")
	m.printf("out what was in memory after it, which the rate leaves out. CPU is of the whole workload.\n")
}

// haveJobs says whether a workload has several jobs.
func (m *page) haveJobs() bool {
	return slices.ContainsFunc(m.Spec.Workloads, func(w v1alpha1.Workload) bool { return w.Fio != nil && len(w.Fio.Jobs) > 0 })
}

// havePhases says whether there are results of a tool that does several things one after the other.
func (m *page) havePhases() bool {
	return slices.ContainsFunc(m.Results, func(r Measurement) bool {
		return r.Phase && !slices.ContainsFunc(m.Spec.Workloads, func(w v1alpha1.Workload) bool { return w.Name == r.Workload && w.Fio != nil })
	})
}
