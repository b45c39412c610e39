// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"math"
	"slices"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/text/human"
)

// results are the tables, with what a reader must know to believe them.
func (m *page) results() {
	m.printf("\n## Results\n\n")
	switch {
	case len(m.Results) == 0:
		m.printf("No workload has been measured.\n")
	case m.Varies():
		m.verdicts()
		m.notes()
		m.sectionTables()
	default:
		m.tables()
		m.notes()
	}
}

// column is a column of a table of entries.
type column struct {
	// title is as in newTable.
	title string
	cell  func(model.Entry) string
}

func tableOf(columns []column, entries []model.Entry) *table {
	titles := make([]string, 0, len(columns))
	for _, c := range columns {
		titles = append(titles, c.title)
	}
	out := newTable(titles...)
	for _, e := range entries {
		cells := make([]string, 0, len(columns))
		for _, c := range columns {
			cells = append(cells, c.cell(e))
		}
		out.add(cells...)
	}
	return out
}

// The columns of more than one table.
var (
	variantColumn   = column{"Variant", func(e model.Entry) string { return e.Variant }}
	nodeColumn      = column{"Node", func(e model.Entry) string { return e.Node }}
	certaintyColumn = []column{{">95%", func(e model.Entry) string { return plusMinus(e.Statistics) }}, {">CV", func(e model.Entry) string { return variation(e.Statistics) }}}
	workColumns     = []column{
		{">IOPS", func(e model.Entry) string {
			if e.Phase && e.IOPS == 0 { // only bytes are counted
				return "-"
			}
			return human.Count(e.IOPS)
		}},
		{">CPU s/GiB", func(e model.Entry) string {
			if e.Phase && e.NodeCPUSecondsPerGiB == 0 { // it moves no bytes
				return "-"
			}
			return human.Digits(e.NodeCPUSecondsPerGiB)
		}},
		{">Device/app", func(e model.Entry) string {
			if e.Phase || e.Meanwhile {
				return "-"
			}
			return human.Digits(e.DeviceBytesPerByte)
		}},
	}
	latencyColumns = []column{
		{">Mean", latency(func(l result.Latency) float64 { return l.MeanNanoseconds })},
		{">p50", func(e model.Entry) string { return percentile(e.Latency.P50Nanoseconds) }},
		{">p95", func(e model.Entry) string { return percentile(e.Latency.P95Nanoseconds) }},
		{">p99", func(e model.Entry) string { return percentile(e.Latency.P99Nanoseconds) }},
		{">p99.9", func(e model.Entry) string { return percentile(e.Latency.P999Nanoseconds) }},
		{">Max", latency(func(l result.Latency) float64 { return float64(l.MaxNanoseconds) })},
	}
)

// latency is a dash where no latencies were counted.
func latency(of func(result.Latency) float64) func(model.Entry) string {
	return func(e model.Entry) string {
		if e.Phase && e.Latency.Count == 0 {
			return "-"
		}
		return human.Latency(of(e.Latency))
	}
}

// tables are the results of a single variant: two tables, because one would be too wide to read.
func (m *page) tables() {
	where := []column{{"Workload", func(e model.Entry) string { return e.Workload }}}
	if len(m.Nodes) > 1 {
		where = append(where, nodeColumn)
	}
	where = append(where, column{"Operation", func(e model.Entry) string { return string(e.Operation) }})
	entries := make([]model.Entry, 0, len(m.Results))
	certain := false
	for _, r := range m.Results {
		entries = append(entries, model.Entry{Measurement: r})
		certain = certain || r.Statistics != nil && r.Statistics.N >= enoughRepetitions
	}
	throughput := slices.Concat(where, []column{
		{">n", func(e model.Entry) string { return fmt.Sprint(e.Repetitions) }},
		{rateTitle(entries), func(e model.Entry) string { return rateOf(e.Measurement, e.Median()) }},
	})
	if certain {
		throughput = append(throughput, certaintyColumn...)
	} else {
		throughput = append(throughput, column{">Spread", spread})
	}
	m.printf("%s\n", tableOf(slices.Concat(throughput, timeColumns(entries), syncColumns(entries), steadyColumns(entries), workColumns, m.warningColumns()), entries))
	m.printf("n: repetitions. %s, IOPS, CPU and Device/app are medians over them.\n", title(m.rateWord()))
	if certain {
		m.printf("95%%: how far the 95%% interval of the %s's geometric mean reaches. CV: its standard deviation / mean.\n", m.rateWord())
	} else {
		m.printf("Spread: fastest minus slowest repetition, as a part of the median.\n")
	}
	m.workLegend()
	m.phaseLegend()
	m.printf("\nTotal latency (submission and completion) of all I/O of all repetitions:\n\n%s\n", tableOf(slices.Concat(where, latencyColumns), entries))
}

// enoughRepetitions is how many repetitions it takes for an interval of the median without assumptions. Of fewer, a spread tells as much to a reader of
// a single variant.
const enoughRepetitions = 6

// workLegend explains what is shown of a workload beside its speed.
func (m *page) workLegend() {
	m.printf("CPU s/GiB: time the node's CPUs worked, ZFS's kernel threads included, per GiB read and written.\n")
	m.printf("Device/app: bytes that reached the pool's devices per byte of the workload: more than 1 with\n")
	m.printf("redundancy and metadata, less with compression or caching.\n")
}

func spread(e model.Entry) string {
	if e.Repetitions < 2 {
		return "-"
	}
	return human.Percent(e.RateSpread)
}

// percentile is a dash where it is not known.
func percentile(nanoseconds int64) string {
	if nanoseconds == 0 {
		return "-"
	}
	return human.Latency(float64(nanoseconds))
}

// plusMinus is how far the interval of the geometric mean reaches to either side, by factors: ± 100% is from half to twice the mean.
func plusMinus(s *model.Statistics) string {
	if s == nil || s.Interval95 == nil {
		return "-"
	}
	return reach(s.Interval95.RelativeError())
}

// reach is how far an interval reaches from its middle.
func reach(relativeError float64) string {
	if relativeError > 10 || math.IsNaN(relativeError) {
		return "± over 1000%"
	}
	return "± " + human.Percent(relativeError)
}

func variation(s *model.Statistics) string {
	if s == nil || s.N < 2 {
		return "-"
	}
	return human.Percent(s.CoefficientOfVariation)
}
