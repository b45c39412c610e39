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

// results are the tables.
func (m *page) results() {
	m.printf("\n## Results\n")
	if m.Varies() {
		m.verdicts()
		m.sectionTables()
	} else {
		m.tables()
	}
}

// column is a column of a table of entries.
type column struct {
	// title is as in newTable.
	title string
	cell  func(model.Entry) string
	// notes explain the column in the legend, if its title does not say enough.
	notes []string
}

// tableOf makes a table, whose columns the legend then explains.
func (m *page) tableOf(columns []column, entries []model.Entry) *table {
	m.explain(columns)
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

// These columns are in more than one table.
var (
	variantColumn = column{title: "Variant", cell: func(e model.Entry) string { return e.Variant }}
	nodeColumn    = column{title: "Node", cell: func(e model.Entry) string { return e.Node }}
	workColumns   = []column{
		{">IOPS", func(e model.Entry) string {
			if e.Phase && e.IOPS == 0 { // only bytes are counted
				return "-"
			}
			return human.Count(e.IOPS)
		}, []string{"IOPS: median over the repetitions."}},
		{">CPU s/GiB", func(e model.Entry) string {
			if e.Phase && e.NodeCPUSecondsPerGiB == 0 { // it moves no bytes
				return "-"
			}
			return human.Digits(e.NodeCPUSecondsPerGiB)
		}, []string{"CPU s/GiB: time that the node's CPUs worked, ZFS's kernel threads included, per GiB read and " +
			"written; median."}},
		{">Device/app", func(e model.Entry) string {
			if e.Phase || e.Meanwhile {
				return "-"
			}
			return human.Digits(e.DeviceBytesPerByte)
		}, []string{"Device/app: bytes that the devices read or wrote per byte of the workload; median. More than 1 " +
			"with redundancy and metadata, less with compression or caching."}},
	}
	latencyColumns = []column{
		{">Mean", latency(func(l result.Latency) float64 { return l.MeanNanoseconds }),
			[]string{"Mean to Max: total latency (submission and completion) of all I/O of all repetitions."}},
		{">p50", percentile(func(l result.Latency) int64 { return l.P50Nanoseconds }), nil},
		{">p95", percentile(func(l result.Latency) int64 { return l.P95Nanoseconds }), nil},
		{">p99", percentile(func(l result.Latency) int64 { return l.P99Nanoseconds }), nil},
		{">p99.9", percentile(func(l result.Latency) int64 { return l.P999Nanoseconds }), nil},
		{">Max", latency(func(l result.Latency) float64 { return float64(l.MaxNanoseconds) }), nil},
	}
)

// certaintyColumns say how far repetitions differ.
func (m *page) certaintyColumns() []column {
	return []column{
		{">95%", func(e model.Entry) string { return plusMinus(e.Statistics) }, []string{fmt.Sprintf(
			"95%%: how far the 95%% interval of the %s's geometric mean reaches.", m.rateWord())}},
		{">CV", func(e model.Entry) string { return variation(e.Statistics) },
			[]string{"CV: coefficient of variation, standard deviation / mean."}},
	}
}

// latency is a dash where no latencies were counted.
func latency(of func(result.Latency) float64) func(model.Entry) string {
	return func(e model.Entry) string {
		if e.Phase && e.Latency.Count == 0 {
			return "-"
		}
		return human.Latency(of(e.Latency))
	}
}

// percentile is a dash where the tool reports none.
func percentile(of func(result.Latency) int64) func(model.Entry) string {
	return func(e model.Entry) string { return orDash(float64(of(e.Latency)), human.Latency) }
}

// tables are the results of a single variant: two tables, because one would be too wide to read.
func (m *page) tables() {
	where := []column{{title: "Workload", cell: func(e model.Entry) string { return e.Workload }}}
	if len(m.Nodes) > 1 {
		where = append(where, nodeColumn)
	}
	where = append(where, column{title: "Operation", cell: func(e model.Entry) string { return string(e.Operation) }})
	entries := make([]model.Entry, 0, len(m.Results))
	for _, r := range m.Results {
		entries = append(entries, model.Entry{Measurement: r})
	}
	throughput := slices.Concat(where, []column{
		{">n", func(e model.Entry) string { return fmt.Sprint(e.Repetitions) }, []string{"n: repetitions."}},
		{rateTitle(entries), func(e model.Entry) string { return rateOf(e.Measurement, e.Median()) },
			[]string{title(m.rateWord()) + ": median over the repetitions."}},
	})
	if m.isCertain() {
		throughput = append(throughput, m.certaintyColumns()...)
	} else {
		throughput = append(throughput, column{">Spread", spread, []string{
			"Spread: fastest minus slowest repetition, as a fraction of the median."}})
	}
	shown := slices.Concat(throughput, timeColumns(entries), syncColumns(entries), steadyColumns(entries), workColumns,
		m.warningColumns())
	m.printf("\n%s\nTotal latency (submission and completion) of all I/O of all repetitions:\n\n%s",
		m.tableOf(shown, entries), m.tableOf(slices.Concat(where, latencyColumns), entries))
}

// enoughRepetitions is how many repetitions an interval of the median needs without assumptions. With fewer, the spread
// says as much about a single variant.
const enoughRepetitions = 6

// isCertain says whether there are enough repetitions for intervals.
func (m *page) isCertain() bool {
	return m.Varies() || slices.ContainsFunc(m.Results, func(r model.Measurement) bool {
		return r.Statistics != nil && r.Statistics.N >= enoughRepetitions
	})
}

func spread(e model.Entry) string {
	if e.Repetitions < 2 {
		return "-"
	}
	return human.Percent(e.RateSpread)
}

// plusMinus is how far the interval of the geometric mean reaches on either side, as a factor: ± 100% is from half to
// twice the mean.
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
