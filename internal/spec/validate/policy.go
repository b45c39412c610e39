// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
)

// Policy returns what is wrong with a policy that its CRD accepts; nil means valid. A policy that is not valid consents
// to nothing.
func Policy(p *v1alpha1.BenchmarkDevicePolicy) field.ErrorList {
	var errs field.ErrorList
	for i, d := range p.Spec.Devices {
		if n, whole := fields.Bytes(d.Size); !whole || n < 1 {
			at := field.NewPath("spec", "devices").Index(i).Child("size")
			errs = append(errs, field.Invalid(at, fields.Text(d.Size), "size must be a positive whole number of bytes"))
		}
	}
	return errs
}
