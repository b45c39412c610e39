// SPDX-License-Identifier: Apache-2.0

package result

import (
	"errors"
	"fmt"
)

// MaxVdevs is how many vdevs a sample has: the ones with the most requests. The pool's own entry counts all requests.
const MaxVdevs = 16

// Vdev is how long requests to a vdev took from a workload's start to the end of the sync after it, as OpenZFS counts
// them.
type Vdev struct {
	// Name is the benchmark's for a device, else OpenZFS's, for example mirror-0; the whole pool is pool.
	Name string `json:"name"`
	// Device says that it is a device, and no group of them.
	Device bool `json:"device,omitempty"`
	// Read and Write are from when OpenZFS put requests into a queue until their end, DiskRead and DiskWrite from when the
	// device got them; nil where there were none.
	Read      *Waits `json:"read,omitempty"`
	Write     *Waits `json:"write,omitempty"`
	DiskRead  *Waits `json:"diskRead,omitempty"`
	DiskWrite *Waits `json:"diskWrite,omitempty"`
}

// Waits are of requests that OpenZFS counts by the powers of two of nanoseconds that they lie between. So percentiles
// are at most twice as high as the true ones, and the mean is as if each request had taken what is in the middle.
type Waits struct {
	Requests             int64 `json:"requests"`
	MeanNanoseconds      int64 `json:"meanNanoseconds"`
	P50AtMostNanoseconds int64 `json:"p50AtMostNanoseconds"`
	P95AtMostNanoseconds int64 `json:"p95AtMostNanoseconds"`
	P99AtMostNanoseconds int64 `json:"p99AtMostNanoseconds"`
}

// checkVdevs says what of vdevs that came from outside cannot be true, or nil.
func checkVdevs(s Sample) error {
	if len(s.Vdevs) > MaxVdevs {
		return fmt.Errorf("more than %d vdevs", MaxVdevs)
	}
	if s.OmittedVdevs > 0 && len(s.Vdevs) < MaxVdevs {
		return fmt.Errorf("%d are omitted beside %d, of %d that there may be", s.OmittedVdevs, len(s.Vdevs), MaxVdevs)
	}
	var errs error
	for _, v := range s.Vdevs {
		for _, w := range []*Waits{v.Read, v.Write, v.DiskRead, v.DiskWrite} {
			if err := w.check(); err != nil {
				errs = errors.Join(errs, fmt.Errorf("%s: %w", v.Name, err))
			}
		}
	}
	return errs
}

func (w *Waits) check() error {
	if w == nil {
		return nil
	}
	if w.Requests == 0 || w.MeanNanoseconds == 0 {
		return fmt.Errorf("%d requests took %d ns", w.Requests, w.MeanNanoseconds)
	}
	var previous int64 = 1
	for _, end := range []int64{w.P50AtMostNanoseconds, w.P95AtMostNanoseconds, w.P99AtMostNanoseconds} {
		if end < previous || end&(end+1) != 0 {
			return fmt.Errorf("%d ns is no end of a bucket, or below a percentile before it", end)
		}
		previous = end
	}
	return nil
}
