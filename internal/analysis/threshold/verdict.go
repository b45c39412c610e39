// SPDX-License-Identifier: Apache-2.0

package threshold

import (
	"fmt"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/human"
)

// maxNamed is how many judgements a verdict names.
const maxNamed = 3

// Verdict sums up all thresholds of a benchmark: the condition ThresholdsMet.
type Verdict struct {
	Met             bool
	Reason, Message string
}

// VerdictOf counts thresholds: a threshold is met if it is met for every variant and node to which it applies. A failed
// benchmark meets none, because the missing results might not have met them. details says where to find the rest.
func VerdictOf(judgements []Judgement, failed bool, details string) Verdict {
	worst := map[int]Outcome{}
	severity := map[Outcome]int{Met: 0, NotJudged: 1, NotMet: 2}
	var bad, uncertain []Judgement
	for _, j := range judgements {
		if before, known := worst[j.Threshold]; !known || severity[j.Outcome] > severity[before] {
			worst[j.Threshold] = j.Outcome
		}
		switch {
		case j.Outcome != Met:
			bad = append(bad, j)
		case !j.Certain:
			uncertain = append(uncertain, j)
		}
	}
	counts := map[Outcome]int{}
	for _, outcome := range worst {
		counts[outcome]++
	}
	all := len(worst)
	switch {
	case failed:
		return Verdict{Reason: v1alpha1.ReasonBenchmarkFailed, Message: fmt.Sprintf(
			"The benchmark failed, so its thresholds do not count as met; by the results there are, %d of %d are.%s",
			counts[Met], all, named(bad, details))}
	case counts[NotMet] > 0:
		return Verdict{Reason: v1alpha1.ReasonNotMet, Message: notAll(
			counts[NotMet]+counts[NotJudged], all, "met") + named(bad, details)}
	case counts[NotJudged] > 0:
		return Verdict{Reason: v1alpha1.ReasonNotJudged, Message: notAll(
			counts[NotJudged], all, "judged") + named(bad, details)}
	case len(uncertain) > 0:
		return Verdict{Met: true, Reason: v1alpha1.ReasonMetNotCertain,
			Message: fmt.Sprintf("All %d thresholds are met, but not all for certain.%s", all, named(uncertain, details))}
	}
	return Verdict{Met: true, Reason: v1alpha1.ReasonMet,
		Message: fmt.Sprintf("All %d thresholds are met, for certain: the 95%% intervals are on the right side.", all)}
}

// notAll says how many thresholds are not met, or not judged.
func notAll(n, all int, what string) string {
	verb := "are"
	if n == 1 {
		verb = "is"
	}
	return fmt.Sprintf("%d of %s %s not %s.", n, human.Plural(all, "threshold"), verb, what)
}

// named lists the first few judgements: first the ones that are not met, then the ones that are not judged.
func named(judgements []Judgement, details string) string {
	var ordered []Judgement
	for _, outcome := range []Outcome{NotMet, NotJudged, Met} {
		for _, j := range judgements {
			if j.Outcome == outcome {
				ordered = append(ordered, j)
			}
		}
	}
	var text strings.Builder
	for _, j := range ordered[:min(len(ordered), maxNamed)] {
		sentence := j.String()
		if !strings.HasSuffix(sentence, ".") {
			sentence += "."
		}
		fmt.Fprintf(&text, " %s", sentence)
	}
	if more := len(ordered) - maxNamed; more > 0 {
		fmt.Fprintf(&text, " And %d more, in %s.", more, details)
	}
	return text.String()
}
