// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"errors"
	"maps"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/matrix"
	"zfsbench.io/operator/internal/text/fields"
)

const (
	maxAxes         = 8
	maxAxisName     = 32
	maxAxisValues   = 64
	maxExclude      = 64
	maxInclude      = 64
	maxPropertyName = 64
	mustBeAxisName  = "name becomes part of the names of variants: it must be"
	mustBeValueName = mustBeAxisName + " letters, digits, '-', '.', '_' and '+', with a letter or digit at both ends, for example 128K"
)

var (
	valueName    = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9._+]*[A-Za-z0-9])?$`)
	propertyName = regexp.MustCompile(`^[a-z_]+(@[a-z0-9_]+)?$`)
)

// expand returns the variants of the benchmark, or what is wrong with its matrix as such; variants checks them each. The matrix is expanded only once
// its names and numbers are right.
func expand(s v1alpha1.ZfsBenchmarkSpec, path *field.Path) ([]matrix.Variant, field.ErrorList) {
	if errs := matrixNames(s.Matrix, path.Child("matrix")); len(errs) > 0 {
		return nil, errs
	}
	if len(comparison(s.Comparison, path)) > 0 {
		// Reported after the repetitions.
		s.Comparison = nil
	}
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

// matrixNames checks what a matrix is made of, but not the changes, which are checked in the variants.
func matrixNames(m *v1alpha1.MatrixSpec, path *field.Path) field.ErrorList {
	if m == nil {
		return nil
	}
	var errs field.ErrorList
	if len(m.Axes)+len(m.Include) == 0 {
		errs = append(errs, field.Invalid(path, "", "matrix must have an axis or an included variant"))
	}
	at := path.Child("axes")
	errs = append(errs, fields.Count(len(m.Axes), 0, maxAxes, at)...)
	names := map[string]bool{}
	for i, a := range m.Axes {
		errs = append(errs, axis(a, at.Index(i))...)
		if names[a.Name] {
			errs = append(errs, field.Duplicate(at.Index(i), a.Name))
		}
		names[a.Name] = true
	}
	at = path.Child("exclude")
	errs = append(errs, fields.Count(len(m.Exclude), 0, maxExclude, at)...)
	for i, selection := range m.Exclude {
		errs = append(errs, axisSelection(selection, at.Index(i))...)
	}
	at = path.Child("include")
	errs = append(errs, fields.Count(len(m.Include), 0, maxInclude, at)...)
	return append(errs, overlayNames(m.Include, at)...)
}

func axis(a v1alpha1.Axis, path *field.Path) field.ErrorList {
	errs := itemName(a.Name, maxAxisName, mustBeAxisName, "layout", path.Child("name"))
	if (a.Values != nil) == (a.PropertyValues != nil) {
		errs = append(errs, field.Invalid(path, a.Name, "exactly one of values and propertyValues must be set"))
	}
	if (a.Property != "") != (a.PropertyValues != nil) {
		errs = append(errs, field.Invalid(path, a.Name, "property and propertyValues belong together: set both or neither"))
	}
	if a.Values != nil {
		errs = append(errs, fields.Count(len(a.Values), 1, maxAxisValues, path.Child("values"))...)
		errs = append(errs, overlayNames(a.Values, path.Child("values"))...)
	}
	if a.Property != "" {
		errs = append(errs, aPropertyName(a.Property, path.Child("property"))...)
	}
	if a.PropertyValues == nil {
		return errs
	}
	at := path.Child("propertyValues")
	errs = append(errs, fields.Count(len(a.PropertyValues), 1, maxAxisValues, at)...)
	for i, v := range a.PropertyValues {
		errs = append(errs, aValueName(v, at.Index(i))...)
		if slices.Contains(a.PropertyValues[:i], v) {
			errs = append(errs, field.Duplicate(at.Index(i), v))
		}
	}
	return errs
}

func axisSelection(s v1alpha1.AxisSelection, path *field.Path) field.ErrorList {
	switch {
	case len(s) == 0:
		return field.ErrorList{field.Invalid(path, len(s), "should have at least 1 properties")}
	case len(s) > maxAxes:
		return field.ErrorList{field.TooMany(path, len(s), maxAxes)}
	}
	var errs field.ErrorList
	for _, name := range slices.Sorted(maps.Keys(s)) {
		errs = append(errs, itemName(name, maxAxisName, mustBeAxisName, "layout", path)...)
		errs = append(errs, aValueName(s[name], path.Key(name))...)
	}
	return errs
}

// overlayNames checks the names of values, or of included variants.
func overlayNames(overlays []v1alpha1.Overlay, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	names := map[v1alpha1.AxisValueName]bool{}
	for i, o := range overlays {
		errs = append(errs, aValueName(o.Name, path.Index(i).Child("name"))...)
		if names[o.Name] {
			errs = append(errs, field.Duplicate(path.Index(i), o.Name))
		}
		names[o.Name] = true
	}
	return errs
}

func aValueName(name v1alpha1.AxisValueName, path *field.Path) field.ErrorList {
	switch {
	case len(name) > maxNameLength:
		return field.ErrorList{field.TooLong(path, name, maxNameLength)}
	case !valueName.MatchString(string(name)):
		return field.ErrorList{field.Invalid(path, name, mustBeValueName)}
	}
	return nil
}

func aPropertyName(name string, path *field.Path) field.ErrorList {
	switch {
	case len(name) > maxPropertyName:
		return field.ErrorList{field.TooLong(path, name, maxPropertyName)}
	case !propertyName.MatchString(name):
		return field.ErrorList{field.Invalid(path, name, "property must be the name of a property, for example recordsize")}
	}
	return nil
}
