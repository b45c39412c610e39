// SPDX-License-Identifier: Apache-2.0

package treecopy

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
	"zfsbench.io/operator/internal/tools/tree"
)

// Validate checks a copy of a tree. What is copied is made without a limit on the time.
func (t Tool) Validate(path *field.Path) field.ErrorList {
	source := t.Source()
	errs := fields.OneOf(t.CopyWorkload.Tool, path.Child("tool"), v1alpha1.CopyRsync, v1alpha1.CopyCp)
	errs = append(errs, tree.CheckShape(&source, path)...)
	errs = append(errs, tree.MaxTime.Check(t.MaxTime, path.Child("maxTime"))...)
	if len(errs) > 0 {
		return errs
	}
	if n := tree.ShapeOf(source).Inodes(); n > tree.MaxInodes {
		errs = append(errs, field.Invalid(path, n,
			fmt.Sprintf("it has too many directories and files: at most %d", tree.MaxInodes)))
	}
	return errs
}
