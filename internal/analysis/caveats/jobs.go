// SPDX-License-Identifier: Apache-2.0

package caveats

import (
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
)

// anyJob runs a check on each job of fio, and returns the first message.
func (s subject) anyJob(check func(v1alpha1.FioWorkload) string) string {
	if s.workload.Fio == nil {
		return ""
	}
	for _, j := range s.workload.Fio.AllJobs() {
		message := check(j.FioWorkload)
		if message != "" && j.Name != "" {
			message = "Job " + j.Name + ": " + message
		}
		if message != "" {
			return message
		}
	}
	return ""
}

// allFio says whether a condition holds for all jobs of a fio workload.
func (s subject) allFio(holds func(v1alpha1.FioWorkload) bool) bool {
	return s.workload.Fio != nil && !slices.ContainsFunc(s.workload.Fio.AllJobs(),
		func(j v1alpha1.SingleFioJob) bool { return !holds(j.FioWorkload) })
}
