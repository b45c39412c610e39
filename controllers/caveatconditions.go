// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/caveats"
	"zfsbench.io/operator/internal/kube/jobspec"
)

// maxWarned is how many results a condition names; the report names all.
const maxWarned = 3

// maxWarning bounds, in bytes, the text about each.
const maxWarning = 700

// warn sets one condition for each kind of warning, and removes the conditions that later results do not support.
func (s *scope) warn(warnings []caveats.Warning) {
	for _, kind := range caveats.Kinds() {
		var about []string
		for _, w := range warnings {
			if w.Kind == kind {
				about = append(about, clip(w.String(), maxWarning))
			}
		}
		if len(about) == 0 {
			meta.RemoveStatusCondition(&s.status().Conditions, kind)
			continue
		}
		text := strings.Join(about[:min(len(about), maxWarned)], " ")
		if more := len(about) - maxWarned; more > 0 {
			text += fmt.Sprintf(" And %d more, in ConfigMap %s.", more, jobspec.ResultsConfigMapName(s.benchmark))
		}
		s.setCondition(kind, true, v1alpha1.ReasonMeasured, sentence(text))
	}
}
