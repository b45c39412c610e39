// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
)

// start writes when a job begins.
func (f *file) start(j v1alpha1.SingleFioJob) error {
	if j.StartDelay < 0 {
		return &FieldError{Field: "startDelay", Problem: fmt.Sprintf("%s is negative", j.StartDelay)}
	}
	if j.StartDelay > 0 {
		f.set("startdelay", fmt.Sprintf("%dms", j.StartDelay.Milliseconds()))
	}
	return nil
}

// rate writes how fast each process of a job may be, in each direction.
func (f *file) rate(w v1alpha1.FioWorkload) error {
	if w.Rate != nil && w.RateIOPS != 0 {
		return &FieldError{Field: "rate", Problem: "cannot be set with rateIOPS"}
	}
	if w.Rate != nil {
		if w.Rate.Sign() <= 0 {
			return &FieldError{Field: "rate", Problem: w.Rate.String() + " is not a rate"}
		}
		f.setInt("rate", w.Rate.Value())
	}
	if w.RateIOPS < 0 {
		return &FieldError{Field: "rateIOPS", Problem: fmt.Sprintf("%d is negative", w.RateIOPS)}
	}
	if w.RateIOPS > 0 {
		f.setInt("rate_iops", int64(w.RateIOPS))
	}
	return nil
}
