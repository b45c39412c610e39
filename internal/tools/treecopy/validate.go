// SPDX-License-Identifier: Apache-2.0

package treecopy

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/internal/tools/tree"
)

// Validate bounds the size of the source, because making it has no time limit.
func (t Tool) Validate(path *field.Path) field.ErrorList {
	n := tree.ShapeOf(t.Source()).Inodes()
	if n <= tree.MaxInodes {
		return nil
	}
	return field.ErrorList{field.Invalid(path, n,
		fmt.Sprintf("it has too many directories and files: at most %d", tree.MaxInodes))}
}
