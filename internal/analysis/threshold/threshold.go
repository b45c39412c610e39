// SPDX-License-Identifier: Apache-2.0

package threshold

import (
	"fmt"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/compare"
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/stats"
	"zfsbench.io/operator/internal/text/human"
)

// Outcome says whether a threshold is met for one variant on one node.
type Outcome string

const (
	// Met means that the value meets the bound, whether or not that is certain.
	Met Outcome = "Met"
	// NotMet means that the value does not meet the bound.
	NotMet Outcome = "NotMet"
	// NotJudged means that there is no value.
	NotJudged Outcome = "NotJudged"
)

// Judgement is the outcome of a threshold for one variant on one node.
type Judgement struct {
	// Threshold is its index in spec.thresholds, from 0.
	Threshold int                      `json:"threshold"`
	Workload  string                   `json:"workload"`
	Metric    v1alpha1.ThresholdMetric `json:"metric"`
	// Variant and Node are empty if the threshold applies to no variant.
	Variant    string `json:"variant,omitempty"`
	Node       string `json:"node,omitempty"`
	RelativeTo string `json:"relativeTo,omitempty"`
	AtLeast    string `json:"atLeast,omitempty"`
	AtMost     string `json:"atMost,omitempty"`
	// N is the number of repetitions with a value; if there are two samples, the smaller number.
	N int `json:"n"`
	// Value and Bound are in bytes per second, I/O per second or nanoseconds; with RelativeTo they are ratios. Value is
	// 0 if there is none.
	Value float64 `json:"value,omitempty"`
	Bound float64 `json:"bound"`
	// Interval95 contains the true value; nil if unknown.
	Interval95 *compare.Interval `json:"interval95,omitempty"`
	Outcome    Outcome           `json:"outcome"`
	// Certain says that the whole interval is on the same side of the bound as the value.
	Certain bool `json:"certain"`
	// Problem says in a sentence why it was not judged.
	Problem string `json:"problem,omitempty"`
}

// Input is what thresholds apply to.
type Input struct {
	Thresholds []v1alpha1.Threshold
	// Own is the benchmark's own document, Nodes the data it was made from.
	Own    compare.Comparable
	Nodes  []compare.Measured
	Others []compare.Other
}

// Judge applies every threshold to every variant and node to which it applies, in this order. There is at least one
// judgement for each threshold.
func Judge(in Input) ([]Judgement, error) {
	var all []Judgement
	for i, t := range in.Thresholds {
		bound, atLeast, err := t.Bound()
		if err != nil {
			return nil, fmt.Errorf("threshold %d: %w", i, err)
		}
		blank := Judgement{
			Threshold: i, Workload: t.Workload, Metric: t.Metric, RelativeTo: t.RelativeTo, AtLeast: string(t.AtLeast),
			AtMost: string(t.AtMost), Bound: bound,
			Outcome: NotJudged, Problem: "Nothing was measured.",
		}
		before := len(all)
		for _, n := range in.Nodes {
			for _, v := range n.Plan.Variants {
				if t.Variant != "" && t.Variant != v.Name || t.RelativeTo == v1alpha1.RelativeToReference && v.Reference == "" {
					continue
				}
				j := blank
				j.Variant, j.Node = v.Name, n.Plan.Node.Name
				m, problem, err := in.measure(t, n, v)
				if err != nil {
					return nil, fmt.Errorf("threshold %d: %w", i, err)
				}
				j.Problem = problem
				if problem == "" {
					j.decide(m, atLeast)
				}
				all = append(all, j)
			}
		}
		if len(all) == before {
			all = append(all, blank)
		}
	}
	return all, nil
}

// measured is the value for a threshold.
type measured struct {
	n        int
	value    float64
	interval stats.Interval
}

// measure finds the value for a threshold, for one variant on one node; problem says why there is none.
func (in Input) measure(t v1alpha1.Threshold, n compare.Measured, v plan.Variant) (m measured, problem string,
	err error) {
	quantity := experiment.Quantity(t.Metric.Quantity())
	i := slices.IndexFunc(in.Own.Results, func(r compare.Result) bool {
		return r.Workload == t.Workload && r.Operation == t.Metric.Operation() && r.Variant == v.Name &&
			r.Node == n.Plan.Node.Name
	})
	if i < 0 || len(in.Own.Sample(in.Own.Results[i], quantity).Values) == 0 {
		return measured{}, "It was not measured.", nil
	}
	own := in.Own.Results[i]
	switch t.RelativeTo {
	case "":
		sample := in.Own.Sample(own, quantity)
		s, err := stats.Summarize(sample.Values, sample.Rule)
		return measured{s.N, s.GeometricMean, s.Interval95}, "", err
	case v1alpha1.RelativeToReference:
		c, err := n.CompareWithReference(experiment.Metric{Workload: t.Workload, Operation: t.Metric.Operation()},
			quantity, v)
		return ratioOf(c, "No repetition has a value of the reference variant as well.", err)
	}
	o := slices.IndexFunc(in.Others, func(o compare.Other) bool { return o.Name == t.RelativeTo })
	if o < 0 {
		return measured{}, fmt.Sprintf("%s was not looked for.", t.RelativeTo), nil
	}
	other := in.Others[o]
	if other.Problem != "" {
		return measured{}, other.Problem, nil
	}
	there, problem := in.Own.Match(other.Comparable, own)
	if problem != "" {
		return measured{}, problem, nil
	}
	c, err := stats.CompareUnpaired(in.Own.Sample(own, quantity), other.Comparable.Sample(there, quantity))
	return ratioOf(c, "The other has no values of it.", err)
}

// ratioOf turns a comparison into a value; if there is nothing to compare, it returns the problem.
func ratioOf(c stats.Comparison, problem string, err error) (measured, string, error) {
	if err != nil || c.N == 0 {
		return measured{}, problem, err
	}
	return measured{c.N, c.Ratio, c.Interval95}, "", nil
}

// decide compares the value with the bound. The outcome does not depend on how certain the value is: docs/results.md
// says why.
func (j *Judgement) decide(m measured, atLeast bool) {
	meets := func(value float64) bool { return value >= j.Bound == atLeast || value == j.Bound }
	j.N, j.Value, j.Interval95, j.Outcome = m.n, m.value, compare.Known(m.interval), NotMet
	if meets(m.value) {
		j.Outcome = Met
	}
	if i := j.Interval95; i != nil {
		j.Certain = meets(i.Low) == meets(m.value) && meets(i.High) == meets(m.value)
	}
}

// Text formats a value or bound of the judgement, for example "512 MiB/s", "2.1 ms" or "97.3%".
func (j Judgement) Text(value float64) string {
	if j.RelativeTo != "" {
		return human.Percent(value)
	}
	switch quantity := experiment.Quantity(j.Metric.Quantity()); quantity {
	case experiment.Bandwidth:
		return human.Rate(value)
	case experiment.IOPS:
		return human.Count(value)
	}
	return human.Latency(value)
}

func (j Judgement) relation() string {
	if j.RelativeTo == v1alpha1.RelativeToReference {
		return "the reference"
	}
	return j.RelativeTo
}

// String says what was judged and the outcome, as a part of a sentence, with the bound as in the spec.
func (j Judgement) String() string {
	what := fmt.Sprintf("%s of %s", j.Metric, j.Workload)
	if j.Variant != "" {
		what += fmt.Sprintf(" (variant %s on %s)", j.Variant, j.Node)
	}
	if j.Outcome == NotJudged {
		return what + " is not judged: " + j.Problem
	}
	return fmt.Sprintf("%s is %s; required is %s", what, j.Text(j.Value), j.Against())
}

// Against says how the value compares with the bound, for example "at least 500Mi: not met, but not for certain".
func (j Judgement) Against() string {
	text := j.Wants() + map[Outcome]string{Met: ": met", NotMet: ": not met", NotJudged: ": not judged"}[j.Outcome]
	if j.Outcome != NotJudged && !j.Certain {
		text += ", but not for certain"
	}
	return text
}

// Wants is the bound as in the spec, for example "at least 95% of before".
func (j Judgement) Wants() string {
	text := "at least " + j.AtLeast
	if j.AtMost != "" {
		text = "at most " + j.AtMost
	}
	if j.RelativeTo != "" {
		text += " of " + j.relation()
	}
	return text
}
