// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/property"
	"zfsbench.io/operator/internal/text/fields"
)

const maxProperties = 32

// PoolProperties returns what is wrong with the pool properties at path.
func PoolProperties(props v1alpha1.PoolProperties, path *field.Path) field.ErrorList {
	errs := fields.Count(len(props), 0, maxProperties, path)
	for _, name := range slices.Sorted(maps.Keys(props)) {
		p, err := property.OfPool(name)
		if err != nil {
			errs = append(errs, field.Forbidden(path, err.Error()))
			continue
		}
		errs = append(errs, propertyValue(p, props[name], path)...)
	}
	return errs
}

// DatasetProperties returns what is wrong with the properties at path for a dataset of type t.
func DatasetProperties(t v1alpha1.DatasetType, props v1alpha1.DatasetProperties, path *field.Path) field.ErrorList {
	errs := fields.Count(len(props), 0, maxProperties, path)
	for _, name := range slices.Sorted(maps.Keys(props)) {
		p, err := property.OfDataset(name)
		if err != nil {
			errs = append(errs, field.Forbidden(path, err.Error()))
			continue
		}
		if p.Type != "" && p.Type != t {
			errs = append(errs, field.Forbidden(path, fmt.Sprintf("%s is a property of type %s only: remove it", name, p.Type)))
		}
		errs = append(errs, propertyValue(p, props[name], path)...)
	}
	return errs
}

func propertyValue(p property.Property, value v1alpha1.PropertyValue, path *field.Path) field.ErrorList {
	if p.Accepts(value) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, value, fmt.Sprintf("%s must be %s, not %s", p.Name, p.Want, value))}
}
