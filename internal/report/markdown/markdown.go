// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"strings"
	"time"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/text/human"
)

// page writes summary.md, section by section. It is readable both in a terminal and rendered.
type page struct {
	*model.Report
	out strings.Builder
	// explained are the notes on the columns of the tables so far, for the legend.
	explained []string
}

// Write writes summary.md.
func Write(r *model.Report) []byte {
	m := &page{Report: r}
	m.title()
	m.preflights()
	m.failures()
	m.caveats()
	m.thresholds()
	m.recommended()
	if len(m.Results) > 0 {
		m.results()
		m.acrossNodes()
		m.comparedWith()
	}
	m.ratioTable()
	m.workTables()
	m.fillTable()
	m.inspectionTable()
	m.legend()
	m.featureTable()
	m.setUpTable()
	m.excluded()
	m.experiment()
	m.nodes()
	m.provenance()
	return []byte(m.out.String())
}

func (m *page) printf(format string, args ...any) { fmt.Fprintf(&m.out, format, args...) }

// title says what the outcome is, what this report is about and how far the benchmark got.
func (m *page) title() {
	b := m.Benchmark
	m.printf("# %s: %s\n\n**%s**\n\n", b.Name, m.Phase, m.verdict())
	if m.isDryRun() {
		m.printf("Dry run of benchmark %s/%s on %s", b.Namespace, b.Name, human.Plural(len(m.Nodes), "node"))
	} else {
		m.counts()
	}
	m.times()
}

// counts says how many trials there are and how they ended.
func (m *page) counts() {
	b, c := m.Benchmark, m.Counts()
	m.printf("Benchmark %s/%s on %s: %d of %s complete", b.Namespace, b.Name, human.Plural(len(m.Nodes), "node"),
		c.Complete, human.Plural(c.Planned, "trial"))
	if c.Failed > 0 {
		m.printf(", %d failed", c.Failed)
	}
	if c.Excluded > 0 {
		m.printf(", %s excluded and run again", human.Plural(c.Excluded, "attempt"))
	}
}

// times ends the title's sentence with start and end.
func (m *page) times() {
	if start, end := m.StartTime, m.CompletionTime; start != nil {
		m.printf(", from %s", start.UTC().Format(time.DateTime))
		if end != nil {
			m.printf(" to %s UTC (%s)", end.UTC().Format(time.DateTime), human.Duration(end.Sub(start.Time)))
		} else {
			m.printf(" UTC")
		}
	}
	m.printf(".\n")
}

// maxFailures is how many failures, and how many pools that were not ONLINE, are shown in full.
const maxFailures = 20

// failures says what went wrong, where, and the last output of the failing tool.
func (m *page) failures() {
	all := m.Failures()
	for i, f := range all[:min(len(all), maxFailures)] {
		if i == 0 {
			m.printf("\n## Failures\n")
		}
		where := f.Node
		if f.Trial != nil {
			where = trialText(*f.Trial)
		}
		m.printf("\n%s: %s: %s\n", where, escape(f.Reason), escape(f.Message))
		if f.Tail != "" {
			m.printf("\n%s", indented(f.Tail))
		}
	}
	m.more(len(all)-maxFailures, model.JSONKey)
}

func trialText(t model.TrialName) string {
	return fmt.Sprintf("%s, trial %d (variant %s, repetition %d)", t.Node, t.Index, escape(t.Variant), t.Repetition)
}
