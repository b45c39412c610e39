// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/matrix"
)

// inspectPools refuses to inspect where there is no pool at all; beside pools, baselines are left out.
func inspectPools(expanded []matrix.Variant, ws []v1alpha1.Workload, path *field.Path) field.ErrorList {
	if len(expanded) == 0 || slices.ContainsFunc(expanded, func(v matrix.Variant) bool { return v.Baseline == nil }) {
		return nil
	}
	var errs field.ErrorList
	for i, w := range ws {
		if len(w.Inspect) > 0 {
			errs = append(errs, field.Forbidden(path.Index(i).Child("inspect"), "zdb looks at pools, and all variants are "+
				"baselines: leave it out"))
		}
	}
	return errs
}
