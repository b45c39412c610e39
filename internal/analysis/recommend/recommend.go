// SPDX-License-Identifier: Apache-2.0

package recommend

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/stats"
)

// Recommendation is the outcome. If there are no candidates, Problem says why.
type Recommendation struct {
	// Candidates are the variants that could be recommended, the best first.
	Candidates []Candidate
	// Rejected are the variants that could not be, in the order of the plan. Baselines are neither.
	Rejected []Rejected
	// Lead compares the best candidate with the second best, block by block; zero for a single candidate. Its interval
	// is not corrected for the selection of the best.
	Lead    stats.Comparison
	Problem string
}

// Candidate is a variant that meets all requirements.
type Candidate struct {
	Variant plan.Variant
	// Score is the weighted geometric mean over the goals of the values relative to the best candidate, which has 1;
	// 0.5 is half as good.
	Score float64
	// Values are the geometric means of the goals over all nodes, in the order of the goals: bytes per second,
	// operations per second or nanoseconds.
	Values []float64
}

// Rejected is a variant that is not recommended. Its reason is a part of a sentence.
type Rejected struct {
	Variant, Reason string
}

// block is one repetition on one node, which all variants share.
type block struct{ node, repetition int }

// Of ranks the variants of a benchmark. Only repetitions in which every candidate was measured count, so that all are
// compared by the same repetitions.
func Of(spec v1alpha1.RecommendSpec, nodes []experiment.NodeTrials) (Recommendation, error) {
	var r Recommendation
	if len(nodes) == 0 {
		return Recommendation{Problem: "Nothing was measured."}, nil
	}
	goals := tabulate(spec.Goals, nodes)
	var candidates []plan.Variant
	for _, v := range nodes[0].Plan.Variants {
		if v.Baseline != nil {
			continue
		}
		reason, err := rejection(spec, nodes, v)
		if err != nil {
			return Recommendation{}, err
		}
		if reason == "" && !goals.measured(v.Name) {
			reason = "not every goal was measured of it"
		}
		if reason != "" {
			r.Rejected = append(r.Rejected, Rejected{v.Name, reason})
			continue
		}
		candidates = append(candidates, v)
	}
	blocks := goals.common(candidates)
	switch {
	case len(candidates) == 0:
		r.Problem = "No variant can be recommended."
		return r, nil
	case len(blocks) == 0:
		r.Problem = "In no repetition was every goal measured of every variant."
		return r, nil
	}
	return r.rank(goals, candidates, blocks)
}

func (r Recommendation) rank(goals table, candidates []plan.Variant, blocks []block) (Recommendation, error) {
	scores := map[string]float64{}
	for _, v := range candidates {
		for _, b := range blocks {
			scores[v.Name] += goals.score(v.Name, b) / float64(len(blocks))
		}
	}
	slices.SortStableFunc(candidates, func(a, b plan.Variant) int { return cmp.Compare(scores[b.Name], scores[a.Name]) })
	best := candidates[0].Name
	for _, v := range candidates {
		r.Candidates = append(r.Candidates, Candidate{Variant: v, Score: math.Exp(scores[v.Name] - scores[best]),
			Values: goals.means(v.Name, blocks)})
	}
	if len(candidates) == 1 {
		return r, nil
	}
	var values, others []float64
	for _, b := range blocks {
		values, others = append(values, math.Exp(goals.score(best, b)-goals.score(candidates[1].Name, b))), append(others, 1)
	}
	var err error
	r.Lead, err = stats.Compare(values, others, stats.StoppingRule{})
	return r, err
}

// rejection says why a variant may not be recommended, however fast it is; empty if it may.
func rejection(spec v1alpha1.RecommendSpec, nodes []experiment.NodeTrials, v plan.Variant) (string, error) {
	p := plan.ProtectionOf(v)
	switch {
	case p.Redundancy < int(spec.MinRedundancy):
		return fmt.Sprintf("its redundancy is %d, required is at least %d", p.Redundancy, spec.MinRedundancy), nil
	case p.IgnoresSync() && !spec.AcceptDataLoss:
		return "sync=disabled loses what was written last when the node fails; acceptDataLoss takes it nevertheless", nil
	case p.LacksChecksums() && !spec.AcceptDataLoss:
		return "checksum=off does not notice damaged data; acceptDataLoss takes it nevertheless", nil
	}
	for i, requirement := range spec.Requirements {
		t := requirement.Threshold()
		bound, atLeast, err := t.Bound()
		if err != nil {
			return "", fmt.Errorf("requirement %d: %w", i, err)
		}
		metric := experiment.Metric{Workload: t.Workload, Operation: t.Metric.Operation()}
		for _, n := range nodes {
			s, err := stats.Summarize(n.Sample(metric, experiment.Quantity(t.Metric.Quantity()), v).Values, stats.StoppingRule{})
			switch {
			case err != nil:
				return "", fmt.Errorf("requirement %d: %w", i, err)
			case s.N == 0:
				return fmt.Sprintf("%s of %s was not measured on %s", t.Metric, t.Workload, n.Plan.Node.Name), nil
			case atLeast && s.GeometricMean < bound, !atLeast && s.GeometricMean > bound:
				return fmt.Sprintf("%s of %s on %s is %s, required is %s", t.Metric, t.Workload, n.Plan.Node.Name,
					Text(t.Metric, s.GeometricMean), wants(t)), nil
			}
		}
	}
	return "", nil
}

func wants(t v1alpha1.Threshold) string {
	if t.AtLeast != "" {
		return "at least " + string(t.AtLeast)
	}
	return "at most " + string(t.AtMost)
}
