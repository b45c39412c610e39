// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// jobEnd says how a Job ended, by its conditions: completionTime is never set on one that failed. Ok is false for one
// that has not ended.
func jobEnd(job *batchv1.Job) (end batchv1.JobCondition, ok bool) {
	for _, c := range job.Status.Conditions {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			return c, true
		}
	}
	return batchv1.JobCondition{}, false
}

// ended is jobEnd for a Job that may not exist.
func ended(job *batchv1.Job) bool {
	if job == nil {
		return false
	}
	_, ok := jobEnd(job)
	return ok
}
