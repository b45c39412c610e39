// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/text/human"
)

// rateOf formats a rate of a measurement: a bandwidth, or operations per second if it moves no bytes.
func rateOf(m model.Measurement, perSecond float64) string {
	return rateText(perSecond, !m.MovesBytes())
}

func rateText(perSecond float64, inOperations bool) string {
	if inOperations {
		return human.Count(perSecond) + "/s"
	}
	return human.Rate(perSecond)
}

// rateWord is the common word for all rates of the document.
func (m *page) rateWord() string {
	if slices.ContainsFunc(m.Results, func(r model.Measurement) bool { return !r.MovesBytes() }) {
		return "rate"
	}
	return "bandwidth"
}

// rateTitle is the title of a column of rates.
func rateTitle(entries []model.Entry) string {
	if slices.ContainsFunc(entries, func(e model.Entry) bool { return !e.MovesBytes() }) {
		return ">Rate"
	}
	return ">Bandwidth"
}

// title is a word with a capital first letter.
func title(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// syncColumns say how long writing to disk took after each phase, if that was measured for any phase.
func syncColumns(entries []model.Entry) []column {
	if !slices.ContainsFunc(entries, func(e model.Entry) bool { return e.SyncSeconds > 0 }) {
		return nil
	}
	return []column{{">Sync", func(e model.Entry) string {
		return orDash(e.SyncSeconds*1e9, human.Latency)
	}, []string{"Sync: time to write out what was in memory after the phase; the rate leaves it out."}}}
}

// haveJobs says whether a workload has several jobs.
func (m *page) haveJobs() bool {
	return slices.ContainsFunc(m.Spec.Workloads, func(w v1alpha1.Workload) bool {
		return w.Fio != nil &&
			len(w.Fio.Jobs) > 0
	})
}

// havePhases says whether a tool did several things one after another.
func (m *page) havePhases() bool {
	return slices.ContainsFunc(m.Results, func(r model.Measurement) bool {
		return r.Phase && !slices.ContainsFunc(m.Spec.Workloads,
			func(w v1alpha1.Workload) bool { return w.Name == r.Workload && w.Fio != nil })
	})
}
