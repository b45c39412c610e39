// SPDX-License-Identifier: Apache-2.0

package model

import (
	"slices"

	"zfsbench.io/operator/internal/result"
)

// FeatureSet is what the filesystem of a variant can do on a node.
type FeatureSet struct {
	Variant string `json:"variant"`
	Node    string `json:"node"`
	result.Features
}

// featuresOf returns one set for each variant whose features are known, in the order of the plan.
func featuresOf(in Input) []FeatureSet {
	var all []FeatureSet
	for _, n := range in.Nodes {
		for _, v := range n.Plan.Variants {
			i := slices.IndexFunc(n.Trials, func(t result.Trial) bool { return t.Variant == v.Name && t.Features != nil })
			if i >= 0 {
				all = append(all, FeatureSet{v.Name, n.Name, *n.Trials[i].Features})
			}
		}
	}
	return all
}
