// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/caveats"
	"zfsbench.io/operator/internal/analysis/compare"
	"zfsbench.io/operator/internal/analysis/threshold"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/spec/validate"
)

// Report contains every number that a report shows: the measurements, how the variants compare, and all trials with
// their histograms. As JSON it is results.json.
type Report struct {
	Version         int                       `json:"version"`
	OperatorVersion string                    `json:"operatorVersion"`
	Benchmark       Benchmark                 `json:"benchmark"`
	Phase           string                    `json:"phase"`
	StartTime       *metav1.Time              `json:"startTime,omitempty"`
	CompletionTime  *metav1.Time              `json:"completionTime,omitempty"`
	Spec            v1alpha1.ZfsBenchmarkSpec `json:"spec"`
	// Order is how the trials were ordered; nil for a single variant.
	Order *Order `json:"order,omitempty"`
	// Stopping says when nodes could end before the last repetition; nil if they could not.
	Stopping *Stopping     `json:"stopping,omitempty"`
	Variants []VariantRow  `json:"variants"`
	Results  []Measurement `json:"results"`
	// Work is the I/O of whole workloads on the devices, and what limited the workloads.
	Work []Work `json:"work"`
	// Ratios are how much smaller pools store corpora.
	Ratios []Ratio `json:"ratios,omitempty"`
	// FillLevels say how full pools were, for workloads that fill them.
	FillLevels []FillLevel `json:"fillLevels,omitempty"`
	// Inspections are what zdb found after workloads that request it.
	Inspections []Inspection `json:"inspections,omitempty"`
	// Features are what filesystems support, in a benchmark with baselines.
	Features []FeatureSet `json:"features,omitempty"`
	// SetUps are how long it took to make and to destroy what was measured.
	SetUps []SetUp `json:"setUps,omitempty"`
	// Comparisons are of all variants that have a reference; they are one family for HolmP.
	Comparisons []RateComparison `json:"comparisons"`
	// AcrossNodes say whether the ratios of Comparisons differ between nodes; none for a single node.
	AcrossNodes []NodesComparison `json:"acrossNodes,omitempty"`
	// Confirmations compare winners that were measured again with their references.
	Confirmations []Confirmation `json:"confirmations,omitempty"`
	// ComparedWith are the comparisons with other benchmarks; none until the benchmark has finished.
	ComparedWith []compare.With `json:"comparedWith,omitempty"`
	// Thresholds say whether each variant on each node meets each threshold; none until the benchmark has finished.
	Thresholds []threshold.Judgement `json:"thresholds,omitempty"`
	// Recommendation is nil if spec.recommend is not set, and until the benchmark has finished.
	Recommendation *Recommendation `json:"recommendation,omitempty"`
	// Warnings say which results may mislead, and why.
	Warnings []caveats.Warning `json:"warnings"`
	Nodes    []NodeResults     `json:"nodes"`
	// Omitted names what was left out because the document would have been too large.
	Omitted []string `json:"omitted,omitempty"`

	// Finished means that nothing more will be measured.
	Finished bool `json:"-"`
	// Margin is the difference that does not matter, as a fraction.
	Margin float64 `json:"-"`
	// Sections are the results by metric, each with its groups of equal protection.
	Sections []MetricResults `json:"-"`
	// Own is what other benchmarks compare this one with.
	Own compare.Comparable `json:"-"`
	// Verdict sums up Thresholds; nil without any, and until the benchmark has finished.
	Verdict *threshold.Verdict `json:"-"`
}

// Benchmark identifies the benchmark.
type Benchmark struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
}

// Order is how trials were ordered within repetitions.
type Order struct {
	Kind v1alpha1.RepetitionOrder `json:"kind"`
	// Seed belongs to a random order; nil for other orders.
	Seed *int64 `json:"seed,omitempty"`
}

// Stopping ends the benchmark on a node once every 95% interval reaches at most TargetRelativeError, a fraction, from
// its result.
type Stopping struct {
	MinRepetitions      int     `json:"minRepetitions"`
	MaxRepetitions      int     `json:"maxRepetitions"`
	TargetRelativeError float64 `json:"targetRelativeError"`
}

// Of computes all figures.
func Of(in Input) (Report, error) {
	in = ordered(in)
	margin, err := marginOf(in.Benchmark.Spec)
	if err != nil {
		return Report{}, err
	}
	b, groups := in.Benchmark, samplesOf(in)
	r := Report{
		Version: Version, OperatorVersion: in.OperatorVersion,
		Benchmark: Benchmark{Namespace: b.Namespace, Name: b.Name, UID: string(b.UID)},
		Phase:     in.Phase, StartTime: b.Status.StartTime, CompletionTime: b.Status.CompletionTime, Spec: b.Spec,
		Variants: variantsOfPlans(in.Nodes), Results: measure(in), Work: workOf(groups), Ratios: ratiosOf(in, groups),
		FillLevels: fillLevelsOf(groups), Inspections: inspectionsOf(groups), Features: featuresOf(in), SetUps: setUpsOf(in),
		Warnings: []caveats.Warning{}, Nodes: in.Nodes, Finished: in.Finished, Margin: margin,
	}
	for _, n := range r.Nodes {
		r.setOrder(n.Plan)
		r.Warnings = append(r.Warnings, caveats.Check(n.experiment(), n.Facts, margin)...)
	}
	if err := addStatistics(in.Nodes, r.Results); err != nil {
		return Report{}, err
	}
	if err := r.addComparisons(in.Nodes); err != nil {
		return Report{}, err
	}
	if r.Confirmations, err = confirmAll(in.Nodes, margin); err != nil {
		return Report{}, err
	}
	r.Sections = r.sections()
	if r.Recommendation, err = recommendationOf(in); err != nil {
		return Report{}, err
	}
	if err := r.judge(in); err != nil {
		return Report{}, err
	}
	return r, nil
}

// setOrder takes from a plan how trials were ordered and when they could end. All plans are equal in that.
func (r *Report) setOrder(p plan.Plan) {
	if o := p.Order; o != nil {
		r.Order = &Order{Kind: o.Kind}
		if o.Kind == v1alpha1.OrderRandomized {
			r.Order.Seed = &o.Seed
		}
	}
	if s := p.Stopping; s != nil {
		r.Stopping = &Stopping{s.MinRepetitions, p.Repetitions(), s.TargetRelativeError}
	}
}

func marginOf(spec v1alpha1.ZfsBenchmarkSpec) (float64, error) {
	margin := validate.DefaultMargin
	if spec.Comparison != nil {
		margin = cmp.Or(spec.Comparison.Margin, margin)
	}
	return margin.Fraction()
}

// Varies says whether there is more than one variant.
func (r *Report) Varies() bool { return len(r.Variants) > 1 }

// IsReference says whether other variants are compared with this one.
func (r *Report) IsReference(variant string) bool {
	return slices.ContainsFunc(r.Variants, func(v VariantRow) bool { return v.Reference == variant })
}
