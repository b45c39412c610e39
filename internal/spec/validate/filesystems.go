// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/matrix"
)

// needFilesystems refuses workloads that make files on variants that are block devices.
func needFilesystems(expanded []matrix.Variant, ws []v1alpha1.Workload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, w := range ws {
		if !w.NeedsFilesystem() {
			continue
		}
		device := slices.IndexFunc(expanded, isBlockDevice)
		if device < 0 {
			continue
		}
		of := ""
		if len(expanded) > 1 {
			of = " " + expanded[device].Name
		}
		errs = append(errs, field.Invalid(path.Index(i), w.Name, fmt.Sprintf("it makes files, and the variant%s is a "+
			"block device: give it a filesystem, or leave one of the two out", of)))
	}
	return errs
}

// isBlockDevice says whether workloads get a device in place of a directory.
func isBlockDevice(v matrix.Variant) bool {
	if v.Baseline != nil {
		return v.Baseline.IsBlockDevice()
	}
	return v.Dataset != nil && v.Dataset.IsBlockDevice()
}
