// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"cmp"
	"slices"
)

// Holm corrects the p values of a family of comparisons, for example of a matrix, in their order. Whoever calls
// different what has a corrected p value below 0.05 does so in at most 5% of all families in which something is not,
// however many comparisons there are and however they depend on each other. Source: S. Holm, A Simple Sequentially
// Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6 (1979) 65-70.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	corrected := make([]float64, len(p))
	var largest float64
	for rank, i := range order {
		largest = max(largest, min(1, float64(len(p)-rank)*p[i]))
		corrected[i] = largest
	}
	return corrected
}
