// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
)

// MaxInodes is how many directories and files all workers together may make without a limit on the time.
const MaxInodes = 100000000

// Validate checks that the tree is not too large, and that there are files if a phase needs them.
func (t Tool) Validate(path *field.Path) field.ErrorList {
	w := &t.TreeWorkload
	var errs field.ErrorList
	for _, p := range w.Phases {
		if (p == v1alpha1.TreeRewrite || p == v1alpha1.TreeRead) && (w.FilesPerDirectory() == 0 || w.FileBytes() == 0) {
			errs = append(errs, field.Invalid(path.Child("phases"), p, fmt.Sprintf("%s needs files that are not empty: see "+
				"files and fileSize", p)))
		}
	}
	each, workers := ShapeOf(*w).Inodes(), Workers(*w)
	if w.MaxTime == nil && each > MaxInodes/int64(workers) {
		errs = append(errs, field.Invalid(path, each,
			fmt.Sprintf("%d workers with %d directories and files each are too many without maxTime: at most %d in all",
				workers, each, MaxInodes)))
	}
	return errs
}
