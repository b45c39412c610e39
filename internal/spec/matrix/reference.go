// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// refer sets the reference of every variant. If the reference is the name of a variant, it is this variant. If it names
// values of some axes, it is the variant with these values and otherwise the same ones. A variant without axes, or
// whose counterpart is excluded, has no reference.
func refer(variants []Variant, axes []axis, reference string) Errors {
	if reference == "" {
		return nil
	}
	names := map[string]bool{}
	for _, v := range variants {
		names[v.Name] = true
	}
	if !names[reference] {
		values, errs := pairs(variants, axes, reference)
		if len(errs) > 0 {
			return errs
		}
		if len(values) < len(axes) {
			return referByAxes(variants, axes, values, names, reference)
		}
		// All axes are named, but not in the order of the matrix.
		if reference = combinedName(axes, values); !names[reference] {
			return Errors{excludedReference(reference)}
		}
	}
	for i := range variants {
		if variants[i].Name != reference {
			variants[i].Reference = reference
		}
	}
	return nil
}

func referByAxes(variants []Variant, axes []axis, values map[string]string, names map[string]bool,
	reference string) Errors {
	found := false
	for i, v := range variants {
		if v.Axes == nil {
			continue
		}
		wanted := maps.Clone(v.Axes)
		maps.Copy(wanted, values)
		counterpart := combinedName(axes, wanted)
		if counterpart == v.Name {
			found = true
		} else if names[counterpart] {
			variants[i].Reference = counterpart
		}
	}
	if !found {
		return Errors{excludedReference(reference)}
	}
	return nil
}

func excludedReference(reference string) Error {
	return Error{"comparison.reference", reference, "reference is in no variant: exclude leaves none with " + reference}
}

// pairs reads axis=value pairs, joined by commas.
func pairs(variants []Variant, axes []axis, reference string) (map[string]string, Errors) {
	values := map[string]string{}
	for pair := range strings.SplitSeq(reference, ",") {
		name, value, ok := strings.Cut(pair, "=")
		n := slices.IndexFunc(axes, func(a axis) bool { return a.name == name })
		problem := ""
		switch {
		case !ok:
			problem = fmt.Sprintf("reference must be the name of a variant, for example %s, or axis=value for some of the "+
				"axes, not %s: %s",
				variants[0].Name, pair, existing(variants, axes))
		case n < 0:
			problem = fmt.Sprintf("reference names the axis %s, which the matrix does not have: %s", name,
				existing(variants, axes))
		case axes[n].index(value) < 0:
			problem = fmt.Sprintf("reference names %s, but the values of %s are %s", pair, name, axes[n].listed())
		case values[name] != "":
			problem = fmt.Sprintf("reference names the axis %s more than once", name)
		}
		if problem != "" {
			return nil, Errors{{"comparison.reference", reference, problem}}
		}
		values[name] = value
	}
	return values, nil
}

// existing says which axes and which included variants there are.
func existing(variants []Variant, axes []axis) string {
	var included []string
	for _, v := range variants {
		if v.Axes == nil {
			included = append(included, v.Name)
		}
	}
	switch {
	case len(included) == 0:
		return "the axes are " + axisNames(axes)
	case len(axes) == 0:
		return "the variants are " + strings.Join(included, ", ")
	}
	return fmt.Sprintf("the axes are %s, the other variants %s", axisNames(axes), strings.Join(included, ", "))
}
