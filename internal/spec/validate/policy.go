// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
)

// Policy returns what is wrong with a policy that its CRD accepts; nil means valid. A policy that is not valid consents
// to nothing.
func Policy(p *v1alpha1.BenchmarkDevicePolicy) field.ErrorList {
	spec := field.NewPath("spec")
	var errs field.ErrorList
	for i, d := range p.Spec.Devices {
		errs = append(errs, positive(d.Size, spec.Child("devices").Index(i), "size")...)
	}
	if p.Spec.Scratch != nil {
		errs = append(errs, positive(p.Spec.Scratch.TotalSize, spec.Child("scratch"), "totalSize")...)
	}
	for i, c := range p.Spec.StorageClasses {
		errs = append(errs, positive(c.TotalSize, spec.Child("storageClasses").Index(i), "totalSize")...)
	}
	return errs
}

// positive refuses a size that is not a positive whole number of bytes. The CRD's patterns do not apply to integers.
func positive(size resource.Quantity, parent *field.Path, name string) field.ErrorList {
	if n, whole := fields.Bytes(size); whole && n >= 1 {
		return nil
	}
	return field.ErrorList{field.Invalid(parent.Child(name), fields.Text(size),
		name+" must be a positive whole number of bytes")}
}
