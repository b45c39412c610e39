// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools/registry"
)

// maxAllPasses limits the passes of all workloads together: each pass has a sample in the document of its trial.
const maxAllPasses = 64

func workloads(ws []v1alpha1.Workload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, w := range ws {
		errs = append(errs, workload(w, path.Index(i))...)
	}
	errs = append(errs, images(ws, path)...)
	errs = append(errs, corpusClaims(ws, path)...)
	errs = append(errs, commands(ws, path)...)
	if n := passes(ws); n > maxAllPasses {
		errs = append(errs, field.Invalid(path, n, fmt.Sprintf("the passes of all workloads together must be at most %d",
			maxAllPasses)))
	}
	return errs
}

// passes is the number of passes of all workloads together. Most workloads have one.
func passes(ws []v1alpha1.Workload) int {
	all := 0
	for _, w := range ws {
		all += w.Passes()
	}
	return all
}

func workload(w v1alpha1.Workload, path *field.Path) field.ErrorList {
	tool := registry.Of(w)
	if tool == nil {
		return nil // An operation on the pool: poolOperations checks all of them.
	}
	if w.Fio != nil {
		if errs := fioJobs(*w.Fio, path.Child("fio")); len(errs) > 0 {
			return errs
		}
	}
	return tool.Validate(path.Child(w.Tools()[0]))
}
