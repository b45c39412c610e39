// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/property"
)

// The properties of pools that have fields of their own.
const (
	ashift     = "ashift"
	poolLayout = "layout"
)

// axis is an axis of the matrix. All its values are changes; a value of a property is a change too.
type axis struct {
	name   string
	values []v1alpha1.Overlay
}

// index is the place of a value, or -1.
func (a axis) index(value string) int {
	return slices.IndexFunc(a.values, func(o v1alpha1.Overlay) bool { return string(o.Name) == value })
}

// listed are the names of the values, for a message.
func (a axis) listed() string {
	var names []string
	for _, v := range a.values {
		names = append(names, string(v.Name))
	}
	return strings.Join(names, ", ")
}

func axisNames(axes []axis) string {
	var names []string
	for _, a := range axes {
		names = append(names, a.name)
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}

// axesOf returns the axes even of a matrix with errors, so that what refers to them can be checked too.
func axesOf(of []v1alpha1.Axis) ([]axis, Errors) {
	var axes []axis
	var errs Errors
	for i, a := range of {
		values, problems := a.Values, Errors(nil)
		if a.Property != "" {
			values, problems = propertyValues(a, fmt.Sprintf("matrix.axes[%d]", i))
		}
		axes = append(axes, axis{a.Name, values})
		errs = append(errs, problems...)
	}
	return axes, errs
}

// propertyValues are the values of a property as changes.
func propertyValues(a v1alpha1.Axis, at string) ([]v1alpha1.Overlay, Errors) {
	var errs Errors
	ofPool := true
	if a.Property != ashift && a.Property != poolLayout {
		var err error
		if ofPool, err = property.IsOfPool(a.Property); err != nil {
			errs = Errors{{at + ".property", a.Property, err.Error()}}
		}
	}
	values := make([]v1alpha1.Overlay, 0, len(a.PropertyValues))
	for i, name := range a.PropertyValues {
		change := v1alpha1.Overlay{Name: name}
		switch set := map[string]v1alpha1.OverlayProperty{a.Property: v1alpha1.OverlayProperty(name)}; {
		case a.Property == ashift:
			n, err := strconv.ParseInt(string(name), 10, 32)
			if err != nil {
				errs = append(errs, Error{fmt.Sprintf("%s.propertyValues[%d]", at, i), name, fmt.Sprintf("ashift must be a "+
					"number from 9 to 16, not %s", name)})
			}
			change.Pool = &v1alpha1.PoolOverlay{Ashift: new(int32(n))}
		case a.Property == poolLayout:
			change.Pool = &v1alpha1.PoolOverlay{Layout: v1alpha1.PoolLayout(name)}
		case ofPool:
			change.Pool = &v1alpha1.PoolOverlay{Properties: set}
		default:
			change.Dataset = &v1alpha1.DatasetOverlay{Properties: set}
		}
		values = append(values, change)
	}
	return values, errs
}

// rule is an entry of exclude: for each axis the index of the value it names, or anyValue.
type rule []int

const anyValue = -1

// matches says whether a combination has all values that the rule names.
func (r rule) matches(choice []int) bool {
	for i, value := range r {
		if value != anyValue && value != choice[i] {
			return false
		}
	}
	return true
}

// exclusions resolves the names in exclude to indices.
func exclusions(exclude []v1alpha1.AxisSelection, axes []axis) ([]rule, Errors) {
	var rules []rule
	var errs Errors
	for i, selection := range exclude {
		at := fmt.Sprintf("matrix.exclude[%d]", i)
		r := slices.Repeat(rule{anyValue}, len(axes))
		for _, name := range slices.Sorted(maps.Keys(selection)) {
			value := string(selection[name])
			n := slices.IndexFunc(axes, func(a axis) bool { return a.name == name })
			if n < 0 {
				errs = append(errs, Error{at, selection, fmt.Sprintf("exclude names the axis %s, which the matrix does not "+
					"have: it has %s", name, axisNames(axes))})
				continue
			}
			if r[n] = axes[n].index(value); r[n] < 0 {
				errs = append(errs, Error{at, selection, fmt.Sprintf("exclude names %s=%s, but the values of %s are %s", name,
					value, name, axes[n].listed())})
			}
		}
		rules = append(rules, r)
	}
	return rules, errs
}

// remaining are the combinations that no rule excludes, as the index of a value for each axis. It first checks that
// there are not too many: eight axes of 64 values have more combinations than any memory holds.
func remaining(axes []axis, rules []rule, m v1alpha1.MatrixSpec) ([][]int, Errors) {
	total := combinations(axes)
	switch {
	case len(rules) == 0 && total+len(m.Include) > MaxVariants:
		return nil, tooMany(total + len(m.Include))
	case total > maxCombinations:
		return nil, Errors{{"matrix", total, fmt.Sprintf("axes make %s combinations: at most %s are allowed before "+
			"exclude applies; give the axes fewer values",
			Grouped(total), Grouped(maxCombinations))}}
	}
	kept, used := [][]int(nil), make([]bool, len(rules))
	for n := range total {
		choice := choiceOf(axes, n)
		if by := slices.IndexFunc(rules, func(r rule) bool { return r.matches(choice) }); by >= 0 {
			used[by] = true
			continue
		}
		kept = append(kept, choice)
	}
	if i := slices.Index(used, false); i >= 0 {
		return nil, Errors{{fmt.Sprintf("matrix.exclude[%d]", i), m.Exclude[i], "exclude leaves nothing out here that the " +
			"entries before do not: correct it or remove it"}}
	}
	switch number := len(kept) + len(m.Include); {
	case number > MaxVariants:
		return nil, tooMany(number)
	case number == 0:
		return nil, Errors{{"matrix", number, "matrix makes no variant: exclude leaves none"}}
	}
	return kept, nil
}

func tooMany(variants int) Errors {
	return Errors{{"matrix", variants, fmt.Sprintf("matrix makes %s variants, at most %s are allowed: give the axes "+
		"fewer values, or exclude combinations",
		Grouped(variants), Grouped(MaxVariants))}}
}

// combinations is the number of combinations; it stops counting at 2^60.
func combinations(axes []axis) int {
	const most = 1 << 60
	if len(axes) == 0 {
		return 0
	}
	total := 1
	for _, a := range axes {
		if len(a.values) > 0 && total > most/len(a.values) {
			return most
		}
		total *= len(a.values)
	}
	return total
}

// choiceOf is the nth combination, from 0; the first axis is the slowest.
func choiceOf(axes []axis, n int) []int {
	choice := make([]int, len(axes))
	for i := len(axes) - 1; i >= 0; i-- {
		choice[i] = n % len(axes[i].values)
		n /= len(axes[i].values)
	}
	return choice
}
