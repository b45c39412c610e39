// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/matrix"
	"zfsbench.io/operator/internal/spec/schema"
)

// maxFaultyVariants bounds how many variants are reported: a mistake in the spec tends to be in many.
const maxFaultyVariants = 5

// basePool checks the pool of the spec itself. The CRD compares it with the devices, unless these are split or of a
// class, or one takes the place of another later. With a matrix or baselines the pool may be left out, and need not use
// all devices: the variants do.
func basePool(s v1alpha1.ZfsBenchmarkSpec, path *field.Path) field.ErrorList {
	if s.Pool == nil {
		return nil
	}
	ds := parts(s.Devices)
	if s.Matrix != nil || len(s.Baselines) > 0 {
		ds = placed(s.Pool, ds)
	}
	if !hasOtherNames(s.Devices) && len(v1alpha1.Replacements(s.Workloads)) == 0 {
		return fileSizes(s.Pool, byName(ds), path.Child("pool"))
	}
	return places(s.Pool, withoutReplacements(ds, s.Pool, s.Workloads), path)
}

// variants checks every variant of a matrix as if it were a benchmark of its own, and that all together use all
// devices. Errors in known were reported for the spec and are not reported again.
func variants(expanded []matrix.Variant, s v1alpha1.ZfsBenchmarkSpec, known field.ErrorList,
	path *field.Path) field.ErrorList {
	if s.Matrix == nil && len(s.Baselines) == 0 || len(expanded) == 0 {
		return nil
	}
	if s.Matrix != nil && !slices.ContainsFunc(expanded, func(v matrix.Variant) bool { return v.Pool != nil }) {
		return field.ErrorList{field.Required(path.Child("pool"), noPool)}
	}
	said := map[string]bool{}
	for _, e := range known {
		said[strings.TrimPrefix(e.Error(), path.String()+".")] = true
	}
	var errs field.ErrorList
	c := newChecker(s)
	for faulty, i := 0, 0; i < len(expanded) && faulty < maxFaultyVariants; i++ {
		if expanded[i].Baseline != nil {
			continue // checked with the spec
		}
		before := len(errs)
		for _, e := range c.variant(expanded[i], s.Devices, s.Workloads) {
			if !said[e.Error()] {
				errs = append(errs, ofVariants(path, fmt.Sprintf("variant %s: %s: %s", expanded[i].Name, e.Field, problem(e))))
			}
			said[e.Error()] = true
		}
		if len(errs) > before {
			faulty++
		}
	}
	errs = append(errs, unplaced(expanded, parts(s.Devices), s.Workloads, path)...)
	if len(known)+len(errs) > 0 {
		return errs
	}
	return twins(expanded, path)
}

// variant checks one variant; the paths of its errors start at the variant.
func (c checker) variant(v matrix.Variant, ds []v1alpha1.Device, ws []v1alpha1.Workload) field.ErrorList {
	var root *field.Path
	errs := c.pool(v.Pool, root.Child("pool"))
	errs = append(errs, places(v.Pool, placed(v.Pool, parts(ds)), root)...)
	if v.Dataset != nil {
		errs = append(errs, c.part(schema.Dataset, v.Dataset, root.Child("dataset"))...)
		errs = append(errs, dataset(v.Dataset, root.Child("dataset"))...)
	}
	if len(v.ModuleParameters) > 0 {
		errs = append(errs, c.part(schema.ModuleParameters, v.ModuleParameters, root.Child("moduleParameters"))...)
	}
	return append(errs, volumeHolds(v.Dataset, ws, root.Child("workloads"))...)
}

// problem is the text of an error, without the value if the text already names it.
func problem(e *field.Error) string {
	if e.Type == field.ErrorTypeInvalid || e.Type == field.ErrorTypeRequired || e.Type == field.ErrorTypeForbidden {
		// The schema's validator repeats the field.
		if _, detail, found := strings.Cut(e.Detail, " in body "); found {
			return detail
		}
		return cmp.Or(e.Detail, e.ErrorBody())
	}
	return e.ErrorBody()
}

// ofVariants is an error in the matrix whose text names the variants.
func ofVariants(path *field.Path, text string) *field.Error {
	return field.Invalid(path.Child("matrix"), field.OmitValueType{}, text)
}

// unplaced reports devices that no variant uses, not even in the place of another one.
func unplaced(expanded []matrix.Variant, ds []v1alpha1.Device, ws []v1alpha1.Workload,
	path *field.Path) field.ErrorList {
	used := map[string]bool{}
	for _, name := range v1alpha1.Replacements(ws) {
		used[name] = true
	}
	for _, v := range expanded {
		for _, d := range placed(v.Pool, ds) {
			used[d.Name] = true
		}
		if v.Baseline != nil {
			for _, name := range v.Baseline.Devices() {
				used[name] = true
			}
		}
	}
	var errs field.ErrorList
	for _, d := range ds {
		if !used[d.Name] {
			errs = append(errs, field.Invalid(path.Child("devices"), d.Name, fmt.Sprintf("device %s has no place in the pool "+
				"of any variant: use it or remove it", d.Name)))
		}
	}
	return errs
}

// twins reports variants of the axes that are equal: comparing them would compare a thing with itself. An included
// variant may equal another, because that tests whether the comparison finds differences where there are none. The
// variants are valid: the sizes of others could take minutes to encode.
func twins(expanded []matrix.Variant, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	first := map[string]string{}
	for _, v := range expanded {
		if v.Axes == nil || len(errs) == maxFaultyVariants {
			continue
		}
		target, err := json.Marshal([]any{v.Pool, v.Dataset, v.ModuleParameters})
		if err != nil {
			return field.ErrorList{field.InternalError(path.Child("matrix"), err)}
		}
		if other, ok := first[string(target)]; ok {
			errs = append(errs, ofVariants(path, fmt.Sprintf("variants %s and %s have the same pool, dataset and module "+
				"parameters: leave one out, "+
				"or include it under a name of its own to test the comparison", other, v.Name)))
			continue
		}
		first[string(target)] = v.Name
	}
	return errs
}
