// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/text/human"
)

// maxOutliers is how many outliers are told in full.
const maxOutliers = 10

// notes say what a reader must know before believing the tables.
func (m *page) notes() {
	m.note(m.orderNotes()...)
	m.note(m.stoppingNotes()...)
	m.note(m.latencyNotes()...)
	m.note(m.phaseNotes()...)
	m.note(m.repetitionNotes()...)
	m.note(m.outlierNotes()...)
	unhealthy := m.unhealthy()
	m.note(unhealthy[:min(len(unhealthy), maxFailures)]...)
	if more := len(unhealthy) - maxFailures; more > 0 {
		m.note(fmt.Sprintf("The pool was not ONLINE after %s more, in %s.", human.Plural(more, "workload"), model.JSONKey))
	}
}

func (m *page) note(lines ...string) {
	for _, line := range lines {
		m.printf("- %s\n", line)
	}
}

// latencyNotes say how exact percentiles are.
func (m *page) latencyNotes() []string {
	missing, coarsest := false, 0.0
	for _, r := range m.Results {
		if h := r.Latency.Histogram; h.IsZero() {
			missing = missing || r.Latency.Count > 0
		} else {
			coarsest = max(coarsest, 100/float64(int(2)<<h.Bits))
		}
	}
	var lines []string
	if coarsest > 0 {
		lines = append(lines, fmt.Sprintf("Percentiles are exact to within %s%% of their value, by which they may also be above Max.", human.Digits(coarsest)))
	}
	if missing {
		lines = append(lines, "A dash among the percentiles: the tool tells none, or a histogram was too large to be sent.")
	}
	return lines
}

// repetitionNotes say what cannot be known of few repetitions.
func (m *page) repetitionNotes() []string {
	single, few := false, false
	for _, r := range m.Results {
		single = single || r.Repetitions == 1
		few = few || r.Statistics != nil && r.Statistics.N > 1 && r.Statistics.N < enoughRepetitions
	}
	var lines []string
	if single {
		lines = append(lines, "Where n is 1, nothing is known of how much another run would differ.")
	}
	if few && m.Varies() {
		lines = append(lines, fmt.Sprintf("Where n is less than %d, there is no interval but those that take repetitions for log-normal.", enoughRepetitions))
	}
	return lines
}

// orderNotes say in which order the variants ran, and what that means for differences between them.
func (m *page) orderNotes() []string {
	for _, n := range m.Nodes {
		if n.Plan.Order == nil {
			continue
		}
		switch n.Plan.Order.Kind {
		case v1alpha1.OrderSequential:
			return []string{"All repetitions of a variant ran before the next variant: whatever changed on the node meanwhile looks like a difference between " +
				"variants. Order Randomized keeps the two apart."}
		case v1alpha1.OrderInterleaved:
			return []string{"Each repetition ran the variants in the order of the matrix."}
		default:
			line := fmt.Sprintf("Each repetition ran the variants in a random order of its own (seed %d)", n.Plan.Order.Seed)
			if anchor := n.Plan.Anchor(); anchor != "" {
				line += fmt.Sprintf(", with %s at its start and once more at its end", escape(anchor))
			}
			return []string{line + "."}
		}
	}
	return nil
}

// stoppingNotes say of each node whether its results are as certain as the benchmark asks.
func (m *page) stoppingNotes() []string {
	var lines []string
	for _, n := range m.Nodes {
		end := n.End
		if n.Plan.Stopping == nil || !end.Decided {
			continue
		}
		on := ""
		if len(m.Nodes) > 1 {
			on = n.Name + ": "
		}
		target, most := human.Percent(n.Plan.Stopping.TargetRelativeError), n.Plan.Repetitions()
		if end.Converged {
			lines = append(lines, fmt.Sprintf("%sStopped after %d of at most %d repetitions: every 95%% interval, %s, is within ± %s.", on, end.Repetitions, most, m.decisive(), target))
		} else {
			lines = append(lines, fmt.Sprintf("%sNot converged after all %d repetitions: %s.", on, most, m.tooWide(n)))
		}
	}
	return lines
}

// decisive says which intervals decide when to stop.
func (m *page) decisive() string {
	compared, alone := false, false
	for _, v := range m.Variants {
		compared = compared || v.Reference != ""
		alone = alone || v.Reference == "" && !m.IsReference(v.Name)
	}
	switch {
	case compared && alone:
		return fmt.Sprintf("of ratios, and of %ss that are not compared", m.rateWord())
	case compared:
		return "of ratios"
	}
	return "of " + m.rateWord() + "s"
}

// tooWide counts the intervals that are wider than the plan asks, and names the widest. The reference variant counts only through the others' ratios.
func (m *page) tooWide(n model.Node) string {
	comparisons := map[model.Place]model.Comparison{}
	for _, c := range m.Comparisons {
		comparisons[c.Place()] = c
	}
	var all, wide int
	var widest model.Measurement
	var furthest float64
	for _, r := range m.Results {
		c, compared := comparisons[r.Place()]
		if r.Node != n.Name || !compared && m.IsReference(r.Variant) {
			continue
		}
		reaches := math.Inf(1)
		if compared {
			reaches = c.Interval95.RelativeError()
		} else if r.Statistics != nil {
			reaches = r.Statistics.Interval95.RelativeError()
		}
		all++
		if reaches > n.Plan.Stopping.TargetRelativeError {
			wide++
		}
		if reaches > furthest {
			furthest, widest = reaches, r
		}
	}
	if wide == 0 {
		return "trials failed, and left too few repetitions of some variants"
	}
	return fmt.Sprintf("%d of %d intervals (95%%, %s) are wider than ± %s, widest that of %s, %s, variant %s: %s",
		wide, all, m.decisive(), human.Percent(n.Plan.Stopping.TargetRelativeError), escape(widest.Workload), widest.Operation, escape(widest.Variant), reach(furthest))
}

// outlierNotes name the trials that are far from the others of their variant, the furthest first.
func (m *page) outlierNotes() []string {
	type found struct {
		of model.Measurement
		is model.Outlier
	}
	distance := func(f found) float64 {
		return math.Abs(math.Log(f.is.Rate / f.of.Statistics.Median))
	}
	var all []found
	for _, r := range m.Results {
		if r.Statistics == nil {
			continue
		}
		for _, o := range r.Statistics.Outliers {
			all = append(all, found{r, o})
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(distance(b), distance(a)) })
	lines := []string{fmt.Sprintf("%s (modified z-score beyond 3.5), shown, not dropped: all figures include them. One result in seven has one by chance.",
		human.Plural(len(all), "outlier"))}
	for _, f := range all[:min(len(all), maxOutliers)] {
		lines = append(lines, fmt.Sprintf("Outlier: %s, %s, variant %s, trial %d on %s: %s, median %s.", escape(f.of.Workload), f.of.Operation,
			escape(f.of.Variant), f.is.Trial, f.of.Node, rateOf(f.of, f.is.Rate), rateOf(f.of, f.of.Statistics.Median)))
	}
	if more := len(all) - maxOutliers; more > 0 {
		lines = append(lines, fmt.Sprintf("And %s more, in %s.", human.Plural(more, "outlier"), model.JSONKey))
	}
	return lines
}

// unhealthy names the trials after which a pool was not ONLINE.
func (m *page) unhealthy() []string {
	var out []string
	for _, n := range m.Nodes {
		for _, t := range n.Trials {
			for _, s := range t.Samples {
				if h := s.Pool.Health; h != "" && h != "ONLINE" {
					out = append(out, fmt.Sprintf("After %s of trial %d on %s the pool was %s.", escape(s.Workload), t.Index, n.Name, escape(h)))
				}
			}
		}
	}
	return out
}
