// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/compare"
	"zfsbench.io/operator/internal/analysis/recommend"
)

// Recommendation is the recommended variant, in results.json.
type Recommendation struct {
	// Problem says why no variant is recommended; then only Rejected is set otherwise.
	Problem string `json:"problem,omitempty"`
	// Candidates are the variants that meet all requirements, the best first.
	Candidates []RecommendationCandidate `json:"candidates,omitempty"`
	Rejected   []RecommendationRejected  `json:"rejected,omitempty"`
	// Lead is how much better the first candidate is than the second over all goals, by N repetitions; nil if there is
	// only one.
	Lead *RecommendationLead `json:"lead,omitempty"`
	// NoStorageClass says why there is no storageclass.yaml for the best candidate.
	NoStorageClass string `json:"noStorageClass,omitempty"`

	// Goals are spec.recommend.goals.
	Goals []v1alpha1.RecommendGoal `json:"-"`
	// StorageClass and ZpoolCreate are documents that create the first candidate; empty without one.
	StorageClass string `json:"-"`
	ZpoolCreate  string `json:"-"`
}

// RecommendationCandidate is a variant that could be used.
type RecommendationCandidate struct {
	Variant string `json:"variant"`
	// Score is the weighted geometric mean of the values relative to the best candidate, which has 1.
	Score float64 `json:"score"`
	// Values are the values of spec.recommend.goals in their order: bytes per second, operations per second or
	// nanoseconds.
	Values []float64 `json:"values"`
}

// RecommendationRejected is a variant that cannot be used, and why.
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

// recommendationOf is nil if the benchmark requests no recommendation or has not finished.
func recommendationOf(in Input) (*Recommendation, error) {
	spec := in.Benchmark.Spec.Recommend
	if spec == nil || !in.Finished || len(in.Nodes) == 0 {
		return nil, nil
	}
	source := recommend.Source{Namespace: in.Benchmark.Namespace, Name: in.Benchmark.Name,
		Devices: in.Nodes[0].Plan.Devices}
	for _, n := range in.Nodes {
		source.NodeIDs = append(source.NodeIDs, cmp.Or(n.DriverID, n.Name))
	}
	found, err := recommend.Of(*spec, experiments(in.Nodes))
	if err != nil {
		return nil, fmt.Errorf("recommend: %w", err)
	}
	r := &Recommendation{Problem: found.Problem, Goals: spec.Goals}
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
	if r.StorageClass, err = recommend.StorageClass(source); err != nil {
		r.NoStorageClass = err.Error()
	}
	r.ZpoolCreate, err = recommend.ZpoolCreate(source)
	return r, err
}
