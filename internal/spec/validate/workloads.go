// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
	"zfsbench.io/operator/internal/tools/registry"
)

const (
	maxWorkloads    = 16
	maxWorkloadName = 40
	// maxAllPasses is of all workloads together: each pass has a sample in the document of its trial.
	maxAllPasses = 64
)

func workloads(ws []v1alpha1.Workload, path *field.Path) field.ErrorList {
	errs := fields.Count(len(ws), 1, maxWorkloads, path)
	names := map[string]bool{}
	for i, w := range ws {
		at := path.Index(i)
		errs = append(errs, workload(w, at)...)
		if names[w.Name] {
			errs = append(errs, field.Duplicate(at, w.Name))
		}
		names[w.Name] = true
	}
	errs = append(errs, images(ws, path)...)
	errs = append(errs, corpusClaims(ws, path)...)
	errs = append(errs, commands(ws, path)...)
	if n := passes(ws); n > maxAllPasses {
		errs = append(errs, field.Invalid(path, n, fmt.Sprintf("the passes of all workloads together must be at most %d", maxAllPasses)))
	}
	return errs
}

// passes are those of all workloads together, of which most have one.
func passes(ws []v1alpha1.Workload) int {
	all := 0
	for _, w := range ws {
		all += w.Passes()
	}
	return all
}

func workload(w v1alpha1.Workload, path *field.Path) field.ErrorList {
	errs := itemName(w.Name, maxWorkloadName, "name becomes part of file names: it must be", "seq-write", path.Child("name"))
	errs = append(errs, fields.OneOf(w.Cache, path.Child("cache"), v1alpha1.CacheCold, v1alpha1.CacheWarm)...)
	errs = append(errs, inspections(w.Inspect, path.Child("inspect"))...)
	set, all := w.Tools(), v1alpha1.ToolFields()
	if w.During != nil {
		errs = append(errs, duringOperation(w, path)...)
	}
	switch tool := registry.Of(w); {
	case len(set) != 1:
		return append(errs, field.Invalid(path, w.Name, fmt.Sprintf("exactly one tool must be set: %s or %s", strings.Join(all[:len(all)-1], ", "), all[len(all)-1])))
	case tool != nil:
		return append(errs, tool.Validate(path.Child(set[0]))...)
	}
	return append(errs, poolOperation(w.Pool, path.Child(set[0]))...)
}
