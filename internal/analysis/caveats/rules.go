// SPDX-License-Identifier: Apache-2.0

package caveats

import (
	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// Warning says why the numbers of a workload on a variant, or of a whole variant or node, may mislead. Kind is a
// condition type.
type Warning struct {
	Kind     string `json:"kind"`
	Node     string `json:"node"`
	Variant  string `json:"variant,omitempty"`
	Workload string `json:"workload,omitempty"`
	// Message is a sentence, and says what would help.
	Message string `json:"message"`
}

// String says what the warning is about, and then what it is.
func (w Warning) String() string {
	return w.Workload + " on variant " + w.Variant + " of " + w.Node + ": " + w.Message
}

// subject is the input of a rule: all samples of one workload on one variant.
type subject struct {
	plan     plan.Plan
	variant  plan.Variant
	workload v1alpha1.Workload
	samples  []result.Sample
	// facts are the node's facts; zero if unknown.
	facts result.NodeFacts
	// parameters are the module parameters that the trials of the variant have set, by name.
	parameters map[string]string
}

// rule returns a sentence, or an empty string if all is well.
type rule struct {
	kind  string
	check func(subject) string
	// onlyPools marks a rule about OpenZFS, which does not apply to baselines.
	onlyPools bool
	// ofFiles marks a rule about reading and writing files or volumes; it does not apply to operations on a pool.
	ofFiles bool
}

// rules are in the order of their warnings.
var rules = []rule{
	{v1alpha1.ConditionServedFromCache, servedFromCache, false, true},
	{v1alpha1.ConditionTooShort, tooShort, true, true},
	{v1alpha1.ConditionDataNotRandom, dataNotRandom, true, true},
	{v1alpha1.ConditionDirectIgnored, directIgnored, true, true},
	{v1alpha1.ConditionDepthIgnored, depthIgnored, false, true},
	{v1alpha1.ConditionSyncDisabled, syncDisabled, true, true},
	{v1alpha1.ConditionPartialRecords, partialRecords, true, true},
	{v1alpha1.ConditionFileVdevs, fileVdevs, true, false},
	{v1alpha1.ConditionNotSteady, notSteady, false, true},
	{v1alpha1.ConditionNodeNotQuiet, nodeNotQuiet, false, false},
}

// Kinds are the condition types of all possible warnings.
func Kinds() []string {
	kinds := make([]string, 0, len(rules)+1)
	for _, r := range rules {
		kinds = append(kinds, r.kind)
	}
	return append(kinds, v1alpha1.ConditionDrift)
}

// Check returns all warnings about a node's results, rule by rule and in the order of the plan. facts is nil until they
// are known. margin is the difference that does not matter, as a fraction.
func Check(n experiment.NodeTrials, facts *result.NodeFacts, margin float64) []Warning {
	if len(n.Plan.Variants) == 0 {
		return nil
	}
	var known result.NodeFacts
	if facts != nil {
		known = *facts
	}
	samples, parameters := grouped(n.Trials), parametersOf(n.Trials)
	var warnings []Warning
	for _, r := range rules {
		for _, v := range n.Plan.Variants {
			for _, w := range n.Plan.Workloads {
				s := subject{plan: n.Plan, variant: v, samples: samples[group{v.Name, w.Name}], facts: known,
					parameters: parameters[v.Name]}
				s.workload = plan.WorkloadOn(v, w, s.sizeBytes())
				// The devices also read for the operation on the pool.
				if w.During != nil && r.kind == v1alpha1.ConditionServedFromCache {
					continue
				}
				if len(s.samples) == 0 || r.onlyPools && v.Baseline != nil || r.ofFiles && w.Pool != nil {
					continue
				}
				if message := r.check(s); message != "" {
					warnings = append(warnings, Warning{Kind: r.kind, Node: n.Plan.Node.Name, Variant: v.Name, Workload: w.Name,
						Message: message})
				}
			}
		}
	}
	return append(warnings, drifts(n, margin)...)
}

type group struct{ variant, workload string }

// grouped are the samples of successful trials.
func grouped(trials []result.Trial) map[group][]result.Sample {
	samples := map[group][]result.Sample{}
	for _, t := range trials {
		if t.Failure != nil {
			continue
		}
		for _, s := range t.Samples {
			g := group{t.Variant, s.Workload}
			samples[g] = append(samples[g], s)
		}
	}
	return samples
}

// sizeBytes is the smallest recorded size of a process in any sample of a workload with a relative size; 0 for all
// other workloads.
func (s subject) sizeBytes() int64 {
	var least int64
	for _, sample := range s.samples {
		if sample.SizeBytes > 0 && (least == 0 || sample.SizeBytes < least) {
			least = sample.SizeBytes
		}
	}
	return least
}

// writes says whether the workload has written anything.
func (s subject) writes() bool {
	for _, sample := range s.samples {
		if sample.BytesMoved() > sample.BytesRead() {
			return true
		}
	}
	return false
}

// property is the effective value of a dataset property, from the first sample.
func (s subject) property(name string) string { return s.samples[0].Pool.DatasetProperties[name] }

// propertyFor is the value on the dataset that a job uses.
func (s subject) propertyFor(f v1alpha1.FioWorkload, name string) string {
	return s.samples[0].Pool.PropertiesOf(f.Dataset)[name]
}
