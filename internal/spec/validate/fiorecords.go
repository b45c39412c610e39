// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/matrix"
	"zfsbench.io/operator/internal/tools/fio"
)

// followRecords checks workloads whose block size is recordsize on every variant: it must have one, which fits the
// workload.
func followRecords(expanded []matrix.Variant, ws []v1alpha1.Workload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, w := range ws {
		if w.Fio == nil || !w.Fio.FollowsRecords() {
			continue
		}
		for _, v := range expanded {
			if wrong := followsRecords(v, *w.Fio, path.Index(i).Child("fio")); len(wrong) > 0 {
				errs = append(errs, wrong...)
				break // most likely others have the same
			}
		}
	}
	return errs
}

func followsRecords(v matrix.Variant, f v1alpha1.FioWorkload, path *field.Path) field.ErrorList {
	at := path.Child("bs")
	switch {
	case v.Baseline != nil:
		return field.ErrorList{field.Invalid(at, v1alpha1.BSRecordsize, fmt.Sprintf("baseline %s has no recordsize: set "+
			"bs to a size, for example 128k", v.Name))}
	case v.Dataset == nil:
		return nil // said elsewhere
	}
	if v.Dataset.Recordsize() == "" {
		return field.ErrorList{field.Invalid(at, v1alpha1.BSRecordsize,
			fmt.Sprintf("the volume of variant %s leaves volblocksize to OpenZFS, whose default differs between versions: "+
				"set the property volblocksize", v.Name))}
	}
	var errs field.ErrorList
	for _, j := range f.WithRecords(*v.Dataset).AllJobs() {
		for _, e := range append(fioJob(j.FioWorkload, path), fio.CheckBlocks(&j.FioWorkload, path)...) {
			e.Detail = fmt.Sprintf("on variant %s, where bs is %s: %s", v.Name, j.BS, e.Detail)
			errs = append(errs, e)
		}
	}
	return errs
}
