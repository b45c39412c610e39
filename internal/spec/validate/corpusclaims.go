// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
)

// maxCorpusClaims is how many different ones a benchmark may use: each is mounted in the runner's pod, as long as the
// benchmark runs.
const maxCorpusClaims = 4

// corpusClaims checks how many different ones the workloads of a benchmark use, and that nothing of its author's can
// read them.
func corpusClaims(ws []v1alpha1.Workload, path *field.Path) field.ErrorList {
	different := map[string]bool{}
	for _, w := range ws {
		if claim := w.CorpusClaim(); claim != "" {
			different[claim] = true
		}
	}
	if n := len(different); n > maxCorpusClaims {
		return field.ErrorList{field.Invalid(path, n, fmt.Sprintf("the workloads use too many different "+
			"PersistentVolumeClaims: at most %d", maxCorpusClaims))}
	}
	for i, w := range ws {
		if len(different) > 0 && w.Script != nil {
			return field.ErrorList{field.Forbidden(path.Index(i).Child("script"), "a script could read what a corpus of a "+
				"PersistentVolumeClaim has stored: measure them in two benchmarks")}
		}
	}
	return nil
}
