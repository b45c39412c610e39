// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/compare"
	"zfsbench.io/operator/internal/analysis/recommend"
	"zfsbench.io/operator/internal/text/human"
)

// Recommendation is the variant to use, in results.json.
type Recommendation struct {
	// Problem says why there is none; then the rest is empty but for Rejected.
	Problem string `json:"problem,omitempty"`
	// Candidates are the variants that meet all requirements, the best first.
	Candidates []RecommendationCandidate `json:"candidates,omitempty"`
	Rejected   []RecommendationRejected  `json:"rejected,omitempty"`
	// Lead is how much better the first candidate is than the second over all goals, by N repetitions; nil for a single one.
	Lead *RecommendationLead `json:"lead,omitempty"`
	// NoStorageClass says why the best has no storageclass.yaml.
	NoStorageClass string `json:"noStorageClass,omitempty"`

	// goals are those of the spec.
	goals []v1alpha1.RecommendGoal
	// storageClass and zpoolCreate are documents that make the first candidate; empty without one.
	storageClass string
	zpoolCreate  string
}

// RecommendationCandidate is a variant that could be used.
type RecommendationCandidate struct {
	Variant string `json:"variant"`
	// Score is the weighted geometric mean of how it does beside the best candidate, which has 1.
	Score float64 `json:"score"`
	// Values are those of spec.recommend.goals in their order: bytes per second, operations per second or nanoseconds.
	Values []float64 `json:"values"`
}

// RecommendationRejected is a variant that could not.
type RecommendationRejected struct {
	Variant string `json:"variant"`
	Reason  string `json:"reason"`
}

// RecommendationLead is a ratio of scores.
type RecommendationLead struct {
	N          int               `json:"n"`
	Ratio      float64           `json:"ratio"`
	Interval95 *compare.Interval `json:"interval95,omitempty"`
}

// recommendationOf is nil for a benchmark that asks for none or has not finished.
func recommendationOf(in Input) (*Recommendation, error) {
	spec := in.Benchmark.Spec.Recommend
	if spec == nil || !in.Finished || len(in.Nodes) == 0 {
		return nil, nil
	}
	source := recommend.Source{Namespace: in.Benchmark.Namespace, Name: in.Benchmark.Name, Devices: in.Nodes[0].Plan.Devices}
	for _, n := range in.Nodes {
		source.NodeIDs = append(source.NodeIDs, cmp.Or(n.DriverID, n.Name))
	}
	found, err := recommend.Of(*spec, experiments(in.Nodes))
	if err != nil {
		return nil, fmt.Errorf("recommend: %w", err)
	}
	r := &Recommendation{Problem: found.Problem, goals: spec.Goals}
	for _, c := range found.Candidates {
		r.Candidates = append(r.Candidates, RecommendationCandidate{c.Variant.Name, c.Score, c.Values})
	}
	for _, rejected := range found.Rejected {
		r.Rejected = append(r.Rejected, RecommendationRejected(rejected))
	}
	if lead := found.Lead; lead.N > 0 {
		r.Lead = &RecommendationLead{lead.N, lead.Ratio, compare.Known(lead.Interval95)}
	}
	if len(found.Candidates) == 0 || found.Problem != "" {
		return r, nil
	}
	source.Variant = found.Candidates[0].Variant
	if r.storageClass, err = recommend.StorageClass(source); err != nil {
		r.NoStorageClass = err.Error()
	}
	r.zpoolCreate, err = recommend.ZpoolCreate(source)
	return r, err
}

// recommended says which variant to use, and why.
func (m *page) recommended() {
	r := m.Recommendation
	if r == nil {
		return
	}
	m.printf("\n## Recommendation\n\n")
	if r.Problem != "" {
		m.printf("%s\n", escape(r.Problem))
	} else {
		m.printf("**%s**%s. %s makes its pool, %s the StorageClass of zfs-localpv.\n", escape(r.Candidates[0].Variant), lead(*r), ZpoolCreateKey, StorageClassKey)
		if r.NoStorageClass != "" {
			m.printf("There is no %s: %s.\n", StorageClassKey, escape(r.NoStorageClass))
		}
		m.candidates(*r)
	}
	if len(r.Rejected) == 0 {
		return
	}
	m.printf("\nNot recommended:\n\n")
	for _, rejected := range r.Rejected[:min(len(r.Rejected), maxRows)] {
		m.printf("- %s: %s\n", escape(rejected.Variant), escape(rejected.Reason))
	}
	if more := len(r.Rejected) - maxRows; more > 0 {
		m.printf("- and %d more, in %s\n", more, JSONKey)
	}
}

// lead says how far the best is ahead.
func lead(r Recommendation) string {
	if r.Lead == nil {
		return ", the only variant that may be recommended"
	}
	text := fmt.Sprintf(" is %s× as good as %s, the runner-up", human.Digits(r.Lead.Ratio), escape(r.Candidates[1].Variant))
	switch i := r.Lead.Interval95; {
	case i == nil:
		return text + "; how certain that is, a single repetition cannot tell"
	case i.Low <= 1:
		return text + fmt.Sprintf(" (95%% interval %s to %s), which is not certain: either may be the better one", human.Digits(i.Low), human.Digits(i.High))
	default:
		return text + fmt.Sprintf(" (95%% interval %s to %s)", human.Digits(i.Low), human.Digits(i.High))
	}
}

func (m *page) candidates(r Recommendation) {
	titles := []string{">Rank", "Variant", ">Score"}
	for _, g := range r.goals {
		titles = append(titles, fmt.Sprintf(">%s of %s (weight %d)", g.Metric, g.Workload, max(g.Weight, 1)))
	}
	out := newTable(titles...)
	for i, c := range r.Candidates[:min(len(r.Candidates), maxRows)] {
		cells := []string{fmt.Sprint(i + 1), c.Variant, fmt.Sprintf("%.3f", c.Score)}
		for g, value := range c.Values {
			cells = append(cells, recommend.Text(r.goals[g].Metric, value))
		}
		out.add(cells...)
	}
	m.printf("\n%s\n", strings.TrimRight(out.String(), "\n"))
	if more := len(r.Candidates) - maxRows; more > 0 {
		m.printf("\nAnd %d more, in %s.\n", more, JSONKey)
	}
	m.printf("\nScore: weighted geometric mean of the goals beside those of the best. The interval does not know that the best was chosen because it was the best.\n")
}
