// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/schema"
)

// fioJobs checks each job as it is with what it takes from the workload and its preset. One that takes nothing was seen
// by the CRD.
func fioJobs(f v1alpha1.FioWorkload, path *field.Path) field.ErrorList {
	if f.Preset == "" && len(f.Jobs) == 0 {
		return nil
	}
	var errs field.ErrorList
	for i, j := range f.AllJobs() {
		at := path
		if len(f.Jobs) > 0 {
			at = path.Child("jobs").Index(i)
		}
		errs = append(errs, fioJob(j.FioWorkload, at)...)
	}
	return errs
}

// fioJob applies the CRD's rules for a workload without preset and jobs to a job that is complete.
func fioJob(f v1alpha1.FioWorkload, path *field.Path) field.ErrorList {
	f.Preset = ""
	return schema.Fio.Check(f, path)
}
