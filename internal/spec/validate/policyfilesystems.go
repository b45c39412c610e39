// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/storage/filesystem"
	"zfsbench.io/operator/internal/text/fields"
)

// policyFilesystems checks that all are types that need consent.
func policyFilesystems(types []v1alpha1.RarelyUsedFilesystem, path *field.Path) field.ErrorList {
	asking := filesystem.RarelyUsed()
	errs := fields.Count(len(types), 0, len(asking), path)
	var names []string
	for i, t := range types {
		names = append(names, string(t))
		errs = append(errs, fields.OneOf(v1alpha1.FilesystemType(t), path.Index(i), asking...)...)
	}
	errs = append(errs, fields.Duplicates(names, path)...)
	return errs
}
