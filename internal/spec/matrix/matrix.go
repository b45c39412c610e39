// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"fmt"
	"strconv"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
)

const (
	// DefaultVariant is the name of the only variant of a benchmark that varies nothing.
	DefaultVariant = "default"

	// MaxVariants limits the variants of a matrix: each is measured in its own trials, which take minutes.
	MaxVariants = 1024
	// maxCombinations limits the combinations of values that exclude is applied to.
	maxCombinations = 65536
	// maxName is the longest name of a variant; it goes into results and messages.
	maxName = 253
)

// Variant is one point of the matrix, or a baseline: a complete target.
type Variant struct {
	// Name is the name of the baseline or included variant. For a combination of axes it is axis=value for every axis,
	// joined by commas in the order of the axes.
	Name string
	// Axes are the values of the variant, by axis; nil for a variant that is not a combination of axes.
	Axes map[string]string
	// Baseline replaces pool, dataset and module parameters; nil for a variant on ZFS.
	Baseline *v1alpha1.Baseline
	// Pool and Dataset are the variant's own copies of the spec's, with all changes. Pool has vdevs in place of a layout,
	// unless the layout is wrong. It is nil if neither the spec nor a change sets it; Dataset is nil only for a baseline.
	Pool    *v1alpha1.PoolSpec
	Dataset *v1alpha1.DatasetSpec
	// ModuleParameters are the spec's parameters with all changes.
	ModuleParameters v1alpha1.ModuleParameters
	// Reference is the name of the variant that this one is compared with; empty for none. A reference itself has none.
	Reference string
}

// ClaimsFromDriver says whether its dataset is a volume that the CSI driver for OpenZFS makes in its pool.
func (v Variant) ClaimsFromDriver() bool { return v.Dataset != nil && v.Dataset.Claims() }

// Claims says whether its workloads run on a volume that is claimed from Kubernetes, whichever driver makes it.
func (v Variant) Claims() bool {
	return v.ClaimsFromDriver() || v.Baseline != nil && v.Baseline.Claims()
}

// Error is one fault of a matrix, or of the reference of its comparison.
type Error struct {
	// Field is the path in the spec, for example matrix.axes[1].property.
	Field string
	// Value is the faulty value.
	Value any
	// Problem says what is wrong with it, and how to correct it.
	Problem string
}

// Errors is everything that is wrong; the errors of Expand are of this type.
type Errors []Error

func (errs Errors) Error() string {
	var all []string
	for _, e := range errs {
		all = append(all, "spec."+e.Field+": "+e.Problem)
	}
	return strings.Join(all, "; ")
}

// Expand makes the variants of a benchmark, in the order of its matrix: the first axis varies slowest, then come the
// included variants, and the baselines last. Without a matrix the only variant on ZFS is named default, unless there
// are only baselines. Expand does not change the spec and shares no memory with it. It does not check variants or
// names: internal/spec/validate does. The error is an Errors.
func Expand(spec v1alpha1.ZfsBenchmarkSpec) ([]Variant, error) {
	reference := ""
	if spec.Comparison != nil {
		reference = spec.Comparison.Reference
	}
	if spec.Matrix == nil && len(spec.Baselines) == 0 {
		if reference != "" {
			return nil, Errors{{"comparison.reference", reference, "comparison.reference needs a matrix or baselines: there " +
				"is only one variant"}}
		}
		return []Variant{target(spec, DefaultVariant)}, nil
	}
	variants, axes, errs := onZFS(spec)
	if len(errs) > 0 {
		return nil, errs
	}
	for _, b := range spec.Baselines {
		variants = append(variants, Variant{Name: string(b.Name), Baseline: b.DeepCopy()})
	}
	if errs := names(variants); len(errs) > 0 {
		return nil, errs
	}
	if errs := refer(variants, axes, reference); len(errs) > 0 {
		return nil, errs
	}
	return variants, nil
}

// onZFS makes the variants that are not baselines.
func onZFS(spec v1alpha1.ZfsBenchmarkSpec) ([]Variant, []axis, Errors) {
	switch {
	case spec.Matrix == nil && spec.Pool == nil:
		return nil, nil, nil
	case spec.Matrix == nil:
		return []Variant{target(spec, DefaultVariant)}, nil, nil
	}
	axes, errs := axesOf(spec.Matrix.Axes)
	rules, problems := exclusions(spec.Matrix.Exclude, axes)
	if errs = append(errs, problems...); len(errs) > 0 {
		return nil, nil, errs
	}
	combinations, errs := remaining(axes, rules, *spec.Matrix)
	if len(errs) > 0 {
		return nil, nil, errs
	}
	variants := make([]Variant, 0, len(combinations)+len(spec.Matrix.Include)+len(spec.Baselines))
	for _, choice := range combinations {
		variants = append(variants, combined(spec, axes, choice))
	}
	for _, included := range spec.Matrix.Include {
		variants = append(variants, target(spec, string(included.Name), included))
	}
	return variants, axes, nil
}

// combined is the variant with the chosen value of every axis.
func combined(spec v1alpha1.ZfsBenchmarkSpec, axes []axis, choice []int) Variant {
	values, changes := map[string]string{}, make([]v1alpha1.Overlay, 0, len(axes))
	for i, a := range axes {
		change := a.values[choice[i]]
		values[a.name] = string(change.Name)
		changes = append(changes, change)
	}
	v := target(spec, combinedName(axes, values), changes...)
	v.Axes = values
	return v
}

// combinedName is the name of the variant with these values.
func combinedName(axes []axis, values map[string]string) string {
	pairs := make([]string, 0, len(axes))
	for _, a := range axes {
		pairs = append(pairs, a.name+"="+values[a.name])
	}
	return strings.Join(pairs, ",")
}

// names checks that every variant has a name of its own, and none too long.
func names(variants []Variant) Errors {
	taken := map[string]bool{}
	included, baselines := 0, 0
	for _, v := range variants {
		at := "matrix.axes"
		switch {
		case v.Baseline != nil:
			at = fmt.Sprintf("baselines[%d].name", baselines)
			baselines++
		case v.Axes == nil:
			at = fmt.Sprintf("matrix.include[%d].name", included)
			included++
		}
		if len(v.Name) > maxName {
			return Errors{{at, v.Name, fmt.Sprintf("the name of a variant has %d characters, at most %d are allowed: give "+
				"axes and values shorter names", len(v.Name), maxName)}}
		}
		if taken[v.Name] {
			return Errors{{at, v.Name, "two variants have the name " + v.Name + ": every variant needs a name of its own"}}
		}
		taken[v.Name] = true
	}
	return nil
}

// Grouped formats a number for messages, with thousands separators: 2,187.
func Grouped(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
