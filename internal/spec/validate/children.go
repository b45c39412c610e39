// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/matrix"
	"zfsbench.io/operator/internal/spec/property"
)

// children refuses properties that a filesystem does not have.
func children(d *v1alpha1.DatasetSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, c := range d.Children {
		for _, name := range slices.Sorted(maps.Keys(c.Properties)) {
			if p, err := property.OfDataset(name); err == nil && p.Type != "" && p.Type != v1alpha1.DatasetFilesystem {
				errs = append(errs, field.Forbidden(path.Index(i).Child("properties"),
					fmt.Sprintf("%s is a property of type %s only: remove it", name, p.Type)))
			}
		}
	}
	return errs
}

// inChildren checks that every variant has the children of its dataset in which jobs of fio work.
func inChildren(expanded []matrix.Variant, ws []v1alpha1.Workload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, w := range ws {
		if w.Fio == nil {
			continue
		}
		at := path.Index(i).Child("fio")
		for k, j := range w.Fio.AllJobs() {
			in := at
			if len(w.Fio.Jobs) > 0 && w.Fio.Jobs[k].Dataset != "" {
				in = at.Child("jobs").Index(k)
			}
			if e := inChild(expanded, j.Dataset, in.Child("dataset")); e != nil && !contains(errs, e) {
				errs = append(errs, e)
			}
		}
	}
	return errs
}

// contains says whether the same error was already reported for the same field: jobs share the fields that they take
// from their workload.
func contains(errs field.ErrorList, e *field.Error) bool {
	for _, other := range errs {
		if other.Field == e.Field {
			return true
		}
	}
	return false
}

// inChild is what is wrong with a child on the first variant that does not have it, or nil.
func inChild(expanded []matrix.Variant, name string, path *field.Path) *field.Error {
	if name == "" {
		return nil
	}
	for _, v := range expanded {
		of := ""
		if len(expanded) > 1 {
			of = " of variant " + v.Name
		}
		switch {
		case v.Baseline != nil:
			return field.Invalid(path, name, fmt.Sprintf("baseline %s has no datasets: leave one of the two out", v.Name))
		case v.Dataset == nil:
			continue // said elsewhere
		case v.Dataset.Type != v1alpha1.DatasetFilesystem:
			return field.Invalid(path, name, fmt.Sprintf("the dataset%s is a %s, which has no children: only a Filesystem has",
				of, v.Dataset.Type))
		}
		if _, found := v.Dataset.Child(name); !found {
			return field.Invalid(path, name, fmt.Sprintf("the dataset%s has no child %s: name one of dataset.children", of,
				name))
		}
	}
	return nil
}
