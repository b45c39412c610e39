// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"slices"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// checkPreparation requires that a trial has prepared every disk of its pool, if discarding was planned. A failed trial
// may have failed before that.
func checkPreparation(p plan.Plan, trial result.Trial) error {
	if trial.Failure != nil && len(trial.PreparedDisks) == 0 {
		return nil
	}
	var prepared, want []string
	for _, d := range trial.PreparedDisks {
		prepared = append(prepared, d.Name)
	}
	variant, _ := p.Variant(trial.Variant)
	for _, d := range p.DevicesOf(variant) {
		if p.Discards() && d.Path != "" {
			want = append(want, d.Name)
		}
	}
	if !slices.Equal(want, prepared) {
		return fmt.Errorf("it prepared the disks %v; the plan says to prepare %v", prepared, want)
	}
	return nil
}
