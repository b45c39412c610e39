// SPDX-License-Identifier: Apache-2.0

package report

import (
	"slices"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/stats"
	"zfsbench.io/operator/internal/text/human"
)

// SetUp is how long it took to make what a variant's trials ran on, and to take it away: medians in seconds over the trials that did it, 0 for what none did.
type SetUp struct {
	Variant                string  `json:"variant"`
	Node                   string  `json:"node"`
	Trials                 int     `json:"trials"`
	PoolCreateSeconds      float64 `json:"poolCreateSeconds,omitempty"`
	ArrayCreateSeconds     float64 `json:"arrayCreateSeconds,omitempty"`
	ArraySyncSeconds       float64 `json:"arraySyncSeconds,omitempty"`
	FilesystemMakeSeconds  float64 `json:"filesystemMakeSeconds,omitempty"`
	DatasetDestroySeconds  float64 `json:"datasetDestroySeconds,omitempty"`
	DatasetDestroyedTrials int     `json:"datasetDestroyedTrials,omitempty"`
}

// setUpsOf are those of all variants of which anything is known, in the order of the plan.
func setUpsOf(in Input) []SetUp {
	var all []SetUp
	for _, n := range in.Nodes {
		for _, v := range n.Plan.Variants {
			var times []result.Times
			for _, t := range n.Trials {
				if t.Variant == v.Name && t.Times != (result.Times{}) {
					times = append(times, t.Times)
				}
			}
			if len(times) > 0 {
				all = append(all, setUpOf(v.Name, n.Name, times))
			}
		}
	}
	return all
}

func setUpOf(variant, node string, times []result.Times) SetUp {
	counted := 0
	seconds := func(of func(result.Times) int64) float64 {
		var known []float64
		for _, t := range times {
			if of(t) > 0 {
				known = append(known, float64(of(t))/1e9)
			}
		}
		if counted = len(known); counted == 0 {
			return 0
		}
		return stats.Median(known)
	}
	s := SetUp{
		Variant: variant, Node: node, Trials: len(times),
		PoolCreateSeconds:     seconds(func(t result.Times) int64 { return t.PoolCreate }),
		ArrayCreateSeconds:    seconds(func(t result.Times) int64 { return t.ArrayCreate }),
		ArraySyncSeconds:      seconds(func(t result.Times) int64 { return t.ArraySync }),
		FilesystemMakeSeconds: seconds(func(t result.Times) int64 { return t.FilesystemMake }),
		DatasetDestroySeconds: seconds(func(t result.Times) int64 { return t.DatasetDestroy }),
	}
	s.DatasetDestroyedTrials = counted
	return s
}

// setUpColumn is a column of the table of times.
type setUpColumn struct {
	title   string
	seconds func(SetUp) float64
}

var setUpColumns = []setUpColumn{
	{">Create pool", func(s SetUp) float64 { return s.PoolCreateSeconds }},
	{">Create md array", func(s SetUp) float64 { return s.ArrayCreateSeconds }},
	{">Sync md array", func(s SetUp) float64 { return s.ArraySyncSeconds }},
	{">Make filesystem", func(s SetUp) float64 { return s.FilesystemMakeSeconds }},
	{">Destroy dataset", func(s SetUp) float64 { return s.DatasetDestroySeconds }},
}

// setUpTable says how long it took to make what was measured and to take it away, if that is known.
func (m *page) setUpTable() {
	if len(m.SetUps) == 0 {
		return
	}
	columns := slices.DeleteFunc(slices.Clone(setUpColumns), func(c setUpColumn) bool {
		return !slices.ContainsFunc(m.SetUps, func(s SetUp) bool { return c.seconds(s) > 0 })
	})
	titles := []string{"Variant"}
	if len(m.Nodes) > 1 {
		titles = append(titles, "Node")
	}
	titles = append(titles, ">n")
	for _, c := range columns {
		titles = append(titles, c.title)
	}
	out := newTable(titles...)
	for _, s := range m.SetUps[:min(len(m.SetUps), maxRows)] {
		cells := []string{s.Variant}
		if len(m.Nodes) > 1 {
			cells = append(cells, s.Node)
		}
		cells = append(cells, human.Count(float64(s.Trials)))
		for _, c := range columns {
			cells = append(cells, timeOrDash(c.seconds(s)))
		}
		out.add(cells...)
	}
	m.printf("\n## Making and destroying\n\n%s\n", out)
	m.printf("Medians over n trials, not compared. Destroy dataset: with all that the workloads wrote, until its space is free; not timed\n")
	m.printf("where there are snapshots.\n")
	if more := len(m.SetUps) - maxRows; more > 0 {
		m.printf("\nAnd %d more, in %s and %s.\n", more, CSVKey, JSONKey)
	}
}

func timeOrDash(seconds float64) string {
	if seconds == 0 {
		return "-"
	}
	return human.Latency(seconds * 1e9)
}
