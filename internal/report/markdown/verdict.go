// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/stats"
	"zfsbench.io/operator/internal/text/human"
)

// maxInSentence is how many variants or results the first sentence names.
const maxInSentence = 3

// verdict is the answer in one sentence, as a person would give it after reading the whole report.
func (m *page) verdict() string {
	switch {
	case m.isDryRun() || len(m.Results) == 0:
		return m.nothingMeasured()
	case m.Verdict != nil:
		first, _, _ := strings.Cut(m.Verdict.Message, ". ")
		return escape(strings.TrimSuffix(first, ".")) + "."
	case m.Recommendation != nil && m.Recommendation.Problem == "":
		return fmt.Sprintf("Use %s: it%s.", escape(m.Recommendation.Candidates[0].Variant), lead(*m.Recommendation))
	case !m.Finished && m.IsIncomplete():
		return "Not all trials have ended, so this may change. " + m.comparedOrMedians()
	}
	return m.comparedOrMedians()
}

// comparedOrMedians is the verdict without thresholds and goals.
func (m *page) comparedOrMedians() string {
	switch {
	case len(m.Comparisons) > 0:
		return m.comparedSentence()
	case m.Varies():
		return "Nothing is compared, because there is no reference variant."
	}
	return m.medians()
}

// nothingMeasured says why there are no numbers.
func (m *page) nothingMeasured() string {
	refused := slices.ContainsFunc(m.Nodes, func(n model.NodeResults) bool {
		return n.Preflight != nil && !n.Preflight.Passed
	})
	failed := slices.ContainsFunc(m.Nodes, func(n model.NodeResults) bool { return n.Failure != nil })
	switch {
	case m.isDryRun() && refused:
		return "This benchmark cannot run as it is: the preflight did not pass."
	case refused:
		return "Nothing was measured: the preflight did not pass."
	case failed:
		return "Nothing was measured: see Failures."
	case m.isDryRun() && m.CompletionTime != nil:
		return "Nothing stands in the way of this benchmark."
	}
	return "Nothing has been measured."
}

// medians are the results of a single variant.
func (m *page) medians() string {
	var all []string
	for _, r := range m.Results[:min(len(m.Results), maxInSentence)] {
		all = append(all, m.reaches(r))
	}
	last := len(all) - 1
	if more := len(m.Results) - maxInSentence; more > 0 {
		return fmt.Sprintf("%s; %s below.", strings.Join(all, ", "), human.Plural(more, "more result"))
	}
	if last > 0 {
		all = []string{strings.Join(all[:last], ", ") + " and " + all[last]}
	}
	return all[0] + "."
}

// reaches says how fast a workload was.
func (m *page) reaches(r model.Measurement) string {
	verb, rate := "reaches", rateOf(r, r.Median())
	switch r.Operation {
	case v1alpha1.OperationRead:
		verb = "reads"
	case v1alpha1.OperationWrite:
		verb = "writes"
	default:
		rate += " (" + string(r.Operation) + ")"
	}
	if len(m.Nodes) > 1 {
		rate += " on " + r.Node
	}
	return escape(r.Workload) + " " + verb + " " + rate
}

// words are the words for variants in the first sentence, in this order.
var words = []string{"faster", "slower", "faster in some results and slower in others", "as fast", "inconclusive"}

// wordOf sums up the verdicts about a variant.
func wordOf(verdicts []stats.Verdict) string {
	better, worse := slices.Contains(verdicts, stats.Better), slices.Contains(verdicts, stats.Worse)
	switch {
	case better && worse:
		return words[2]
	case better:
		return words[0]
	case worse:
		return words[1]
	case slices.Contains(verdicts, stats.Inconclusive):
		return words[4]
	}
	return words[3]
}

// comparedSentence says which variants are faster than their reference and which are slower.
func (m *page) comparedSentence() string {
	verdicts, ratios := map[string][]stats.Verdict{}, map[string][]model.RateComparison{}
	for _, c := range m.Comparisons {
		verdicts[c.Variant] = append(verdicts[c.Variant], c.Verdict)
		if c.Ratio > 0 {
			ratios[c.Variant] = append(ratios[c.Variant], c)
		}
	}
	var parts []string
	for _, word := range words {
		var names []string
		var all []model.RateComparison
		for _, v := range m.Variants {
			if len(verdicts[v.Name]) > 0 && wordOf(verdicts[v.Name]) == word {
				names, all = append(names, escape(v.Name)+m.unlike(v.Name, v.Reference)), append(all, ratios[v.Name]...)
			}
		}
		if len(names) > 0 {
			parts = append(parts, fmt.Sprintf("%s %s%s", enumerated(names), word, ratiosOf(all)))
		}
	}
	return fmt.Sprintf("Compared with %s: %s.", m.reference(), strings.Join(parts, "; "))
}

// unlike says how a variant protects the data if that differs from its reference; otherwise it is empty.
func (m *page) unlike(variant, reference string) string {
	if unlike := m.protection(variant).Unlike(m.protection(reference)); unlike != "" {
		return " (" + unlike + ")"
	}
	return ""
}

// enumerated names a few variants, or counts them, with the verb.
func enumerated(names []string) string {
	switch last := len(names) - 1; {
	case last == 0:
		return names[0] + " is"
	case last >= maxInSentence:
		return fmt.Sprintf("%d variants are", len(names))
	default:
		return strings.Join(names[:last], ", ") + " and " + names[last] + " are"
	}
}

// ratiosOf lists the ratio of each result, or, if there are many, the lowest and the highest; empty if none is known.
// For two results it lists both, because a range would look like an interval.
func ratiosOf(compared []model.RateComparison) string {
	if len(compared) == 0 {
		return ""
	}
	least, greatest := slices.MinFunc(compared, byRatio), slices.MaxFunc(compared, byRatio)
	low, high := human.Digits(least.Ratio), human.Digits(greatest.Ratio)
	if low == high {
		return " (" + low + "×)"
	}
	results := map[string]bool{}
	var each []string
	for _, c := range compared {
		results[c.Workload] = true
		each = append(each, fmt.Sprintf("%s %s×", escape(c.Workload), human.Digits(c.Ratio)))
	}
	if len(results) < len(compared) || len(compared) > maxInSentence {
		return fmt.Sprintf(" (%d ratios from %s× to %s×)", len(compared), low, high)
	}
	return " (" + strings.Join(each, ", ") + ")"
}

func byRatio(a, b model.RateComparison) int { return cmp.Compare(a.Ratio, b.Ratio) }
