// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools/registry"
)

// workloadBytes is what a workload's tool stores at most, inodes included.
func workloadBytes(w v1alpha1.Workload) float64 {
	if tool := registry.Of(w); tool != nil {
		return tool.Bytes()
	}
	return 0
}

// smallestFile is the size of the smallest file of which a workload has many; 0 for none.
func smallestFile(w v1alpha1.Workload) int64 {
	if tool := registry.Of(w); tool != nil {
		return tool.SmallestFile()
	}
	return 0
}

// TimeLimit is the limit that a workload sets for its own tool; 0 for none.
func TimeLimit(w v1alpha1.Workload) time.Duration {
	if tool := registry.Of(w); tool != nil {
		return tool.TimeLimit()
	}
	return 0
}

// estimate is how long a workload takes on the plan's devices if they are slow. A tool and an operation on the pool at
// the same time slow each other down, so their times are added.
func estimate(p Expanded, w v1alpha1.Workload) time.Duration {
	var total time.Duration
	if tool := registry.Of(w); tool != nil {
		total = tool.Duration()
	}
	if o := w.OnPool(); o != nil {
		total += estimateOperation(p, *o)
	}
	return min(total, maxTimeout)
}
