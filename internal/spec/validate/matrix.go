// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"errors"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/matrix"
)

// expand returns the variants of the benchmark, or what is wrong with its matrix as such; variants checks them each.
func expand(s v1alpha1.ZfsBenchmarkSpec, path *field.Path) ([]matrix.Variant, field.ErrorList) {
	expanded, err := matrix.Expand(s)
	if err == nil {
		return expanded, nil
	}
	var problems matrix.Errors
	if !errors.As(err, &problems) {
		return nil, field.ErrorList{field.InternalError(path.Child("matrix"), err)}
	}
	var errs field.ErrorList
	for _, p := range problems {
		errs = append(errs, field.Invalid(path.Child(p.Field), p.Value, p.Problem))
	}
	return nil, errs
}
