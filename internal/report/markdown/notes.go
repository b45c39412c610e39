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

// maxOutliers is how many outliers are shown.
const maxOutliers = 4

// more says how many rows or lines were left out, and where they are.
func (m *page) more(n int, where string) {
	if n > 0 {
		m.printf("\nAnd %d more, in %s.\n", n, where)
	}
}

// note prints a list.
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
		lines = append(lines, fmt.Sprintf("Percentiles are exact to within %s%% of their value, so they may be that much "+
			"above Max.", human.Digits(coarsest)))
	}
	if missing {
		lines = append(lines, "A dash among the percentiles: the tool reports none, or a histogram was too large to be sent.")
	}
	return lines
}

// repetitionNotes say what too few repetitions cannot show.
func (m *page) repetitionNotes() []string {
	single, few := false, false
	for _, r := range m.Results {
		single = single || r.Repetitions == 1
		few = few || r.Statistics != nil && r.Statistics.N > 1 && r.Statistics.N < enoughRepetitions
	}
	var lines []string
	if single {
		lines = append(lines, "Where n is 1, it is unknown how much another run would differ.")
	}
	if few && m.Varies() {
		lines = append(lines, fmt.Sprintf("Where n is less than %d, intervals assume that repetitions are log-normally "+
			"distributed.", enoughRepetitions))
	}
	return lines
}

// orderCaveats warn about an order in which other changes on the node look like differences between variants.
func (m *page) orderCaveats() []string {
	if m.Order == nil || m.Order.Kind != v1alpha1.OrderSequential {
		return nil
	}
	return []string{"All repetitions of a variant ran before the next variant: whatever changed on the node meanwhile " +
		"looks like a " +
		"difference between variants. Order Randomized keeps the two apart."}
}

// orderNotes say in which order the variants ran.
func (m *page) orderNotes() []string {
	if m.Order == nil {
		return nil
	}
	switch m.Order.Kind {
	case v1alpha1.OrderSequential:
		return nil
	case v1alpha1.OrderInterleaved:
		return []string{"Each repetition ran the variants in the order of the matrix."}
	}
	line := fmt.Sprintf("Each repetition ran the variants in a random order of its own (seed %d)", *m.Order.Seed)
	if anchor := m.Nodes[0].Plan.Anchor(); anchor != "" {
		line += fmt.Sprintf(", with %s at its start and once more at its end", escape(anchor))
	}
	return []string{line + "."}
}

// convergenceNotes say after how many repetitions nodes stopped: either the nodes whose results are as certain as
// requested, or the others.
func (m *page) convergenceNotes(converged bool) []string {
	var lines []string
	for _, n := range m.Nodes {
		if n.Converged == nil || *n.Converged != converged {
			continue
		}
		on := ""
		if len(m.Nodes) > 1 {
			on = n.Name + ": "
		}
		line := fmt.Sprintf("%sNot converged after all %d repetitions: %s.", on, m.Stopping.MaxRepetitions, m.tooWide(n))
		if converged {
			line = fmt.Sprintf("%sStopped after %d of at most %d repetitions: every 95%% interval, %s, is within ± %s.", on,
				n.Repetitions, m.Stopping.MaxRepetitions, m.decisive(), human.Percent(m.Stopping.TargetRelativeError))
		}
		lines = append(lines, line)
	}
	return lines
}

// decisive says which intervals determine when to stop.
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

// tooWide counts the intervals that are wider than requested, and names the widest. The reference variant counts only
// through the ratios of the others.
func (m *page) tooWide(n model.NodeResults) string {
	comparisons := map[model.Place]model.RateComparison{}
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
		if reaches > m.Stopping.TargetRelativeError {
			wide++
		}
		if reaches > furthest {
			furthest, widest = reaches, r
		}
	}
	if wide == 0 {
		return "trials failed, and left too few repetitions of some variants"
	}
	return fmt.Sprintf("%d of %d intervals (95%%, %s) are wider than ± %s, the widest is %s, %s, variant %s: %s",
		wide, all, m.decisive(), human.Percent(m.Stopping.TargetRelativeError), escape(widest.Workload), widest.Operation,
		escape(widest.Variant), reach(furthest))
}

// outlierNotes name the trials that differ most from the others of their variant, the furthest first.
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
	lines := []string{fmt.Sprintf("%s (modified z-score above 3.5). Figures include outliers. By chance, one result in "+
		"seven has one.", human.Plural(len(all), "outlier"))}
	for _, f := range all[:min(len(all), maxOutliers)] {
		lines = append(lines, fmt.Sprintf("Outlier: %s, %s, variant %s, trial %d on %s: %s, median %s.",
			escape(f.of.Workload), f.of.Operation,
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
	for _, p := range m.UnhealthyPools() {
		out = append(out, fmt.Sprintf("After %s of trial %d on %s the pool was %s.", escape(p.Workload), p.Index, p.Node,
			escape(p.Health)))
	}
	if more := len(out) - maxFailures; more > 0 {
		more := fmt.Sprintf("The pool was not ONLINE after %s more, in %s.", human.Plural(more, "workload"), model.JSONKey)
		out = append(out[:maxFailures], more)
	}
	return out
}
