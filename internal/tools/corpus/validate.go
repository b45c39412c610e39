// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/internal/tools/tree"
)

// Validate checks the number of files, and that there are at least as many files as identical copies.
func (t Tool) Validate(path *field.Path) field.ErrorList {
	w := t.CorpusWorkload
	var errs field.ErrorList
	if n := Files(w); n > tree.MaxInodes {
		errs = append(errs, field.Invalid(path, n, fmt.Sprintf("it has too many files: at most %d; a larger fileSize "+
			"makes fewer", tree.MaxInodes)))
	}
	for i, p := range PartsOf(w) {
		if files := p.Files(w.FileBytes()); files < p.Copies {
			errs = append(errs, field.Invalid(path.Child("parts").Index(i).Child("copies"), p.Copies,
				fmt.Sprintf("the part has only %d files of %d bytes, fewer than copies; size counts all copies",
					files, w.FileBytes())))
		}
	}
	return errs
}
