// SPDX-License-Identifier: Apache-2.0

package caveats

import "zfsbench.io/operator/api/v1alpha1"

// syncDisabled finds writes that a power failure could have lost although they were reported as safe.
func syncDisabled(s subject) string {
	if !s.ignoresSync() || !s.writes() {
		return ""
	}
	return "The dataset has sync=disabled: a write is acknowledged before it is on stable storage, so no other pool " +
		"can be expected to be as fast."
}

// ignoresSync says whether a dataset that the workload writes to ignores synchronous writes.
func (s subject) ignoresSync() bool {
	if s.workload.Fio == nil {
		return s.property("sync") == "disabled"
	}
	return !s.allFio(func(j v1alpha1.FioWorkload) bool {
		return !j.RW.Does(v1alpha1.OperationWrite) || s.propertyFor(j, "sync") != "disabled"
	})
}
