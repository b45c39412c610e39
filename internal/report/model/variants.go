// SPDX-License-Identifier: Apache-2.0

package model

import (
	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
)

// VariantRow describes one variant of the benchmark, and how it protects the data.
type VariantRow struct {
	Name string `json:"name"`
	// Axes are the variant's values of the matrix's axes; empty if it is not a combination of them.
	Axes map[string]string `json:"axes,omitempty"`
	// Reference is the name of the variant that this one is compared with; empty for none.
	Reference string `json:"reference,omitempty"`
	plan.Protection
	// UsableBytes is an estimate of the space for data in a new pool or filesystem, in bytes; if there are several
	// nodes, the lowest.
	UsableBytes int64 `json:"usableBytes"`
	// Baseline replaces pool, dataset and module parameters; nil for a variant on ZFS.
	Baseline *v1alpha1.Baseline   `json:"baseline,omitempty"`
	Pool     v1alpha1.PoolSpec    `json:"pool,omitzero"`
	Dataset  v1alpha1.DatasetSpec `json:"dataset,omitzero"`
	// ModuleParameters are set before a trial makes its pool, and restored afterwards.
	ModuleParameters v1alpha1.ModuleParameters `json:"moduleParameters,omitempty"`
}

// variantsOfPlans are the variants of all nodes, in the order of their plans, which differ only in the sizes of disks.
func variantsOfPlans(nodes []NodeResults) []VariantRow {
	all := []VariantRow{}
	places := map[string]int{}
	for _, n := range nodes {
		expanded := plan.Expand(n.Plan, nil)
		for _, v := range n.Plan.Variants {
			usable := plan.EstimateSpace(expanded, v).UsableBytes
			if at, known := places[v.Name]; known {
				all[at].UsableBytes = min(all[at].UsableBytes, usable)
				continue
			}
			places[v.Name] = len(all)
			all = append(all, VariantRow{
				Name: v.Name, Axes: v.Axes, Reference: v.Reference, Protection: plan.ProtectionOf(v), UsableBytes: usable,
				Baseline: v.Baseline, Pool: v.Pool, Dataset: v.Dataset, ModuleParameters: v.ModuleParameters,
			})
		}
	}
	return all
}
