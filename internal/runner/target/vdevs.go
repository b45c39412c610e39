// SPDX-License-Identifier: Apache-2.0

package target

import (
	"cmp"
	"context"
	"math"
	"path"
	"slices"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/zfs"
)

// poolVdev is the pool's name in the list of its vdevs: its real name differs in every trial.
const poolVdev = "pool"

// Waits is how long requests to a pool's vdevs took since it was imported; zero if that is not known.
type Waits struct {
	vdevs []zfs.Waits
	// imports counts imports: readings before and after an import cannot be subtracted.
	imports int
}

// ReadWaited reads how long requests to the vdevs took. What cannot be read is only missing in the result, with a
// warning in the log.
func (h *Host) ReadWaited(ctx context.Context, t *Target) Waits {
	vdevs, err := h.Storage(t).waits(ctx, t)
	if err != nil {
		h.Log.Warn("the latencies of the vdevs could not be read", "pool", t.Pool(), "error", err)
		return Waits{}
	}
	return Waits{vdevs, t.imports}
}

// RecordVdevs adds to a sample what the vdevs did between two readings. Both must be from the same import and have the
// same vdevs; else it adds nothing.
func (t *Target) RecordVdevs(before, after Waits, s *result.Sample) {
	added, ok := zfs.WaitsSince(after.vdevs, before.vdevs)
	if !ok || after.imports != before.imports {
		return
	}
	busiest := mostRequests(added, result.MaxVdevs)
	s.OmittedVdevs = len(added) - len(busiest)
	for _, w := range busiest {
		s.Vdevs = append(s.Vdevs, t.vdev(w))
	}
}

// mostRequests keeps the vdevs with the most requests, at most so many, in their original order.
func mostRequests(vdevs []zfs.Waits, most int) []zfs.Waits {
	if len(vdevs) <= most {
		return vdevs
	}
	requests := func(i int) int64 { return vdevs[i].TotalRead.Count() + vdevs[i].TotalWrite.Count() }
	order := make([]int, len(vdevs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(requests(b), requests(a)) })
	order = slices.Sorted(slices.Values(order[:most]))
	kept := make([]zfs.Waits, 0, most)
	for _, i := range order {
		kept = append(kept, vdevs[i])
	}
	return kept
}

// vdev converts a vdev's readings for a sample.
func (t *Target) vdev(w zfs.Waits) result.Vdev {
	v := result.Vdev{
		Name: w.Vdev, Device: path.IsAbs(w.Vdev),
		Read: waitsOf(w.TotalRead), Write: waitsOf(w.TotalWrite), DiskRead: waitsOf(w.DiskRead),
		DiskWrite: waitsOf(w.DiskWrite),
	}
	if w.Vdev == t.Pool() {
		v.Name = poolVdev
	}
	for name, device := range t.Paths {
		if w.Vdev == device {
			v.Name = name
		}
	}
	return v
}

// waitsOf is nil if there were no requests.
func waitsOf(h zfs.WaitHistogram) *result.Waits {
	if h.Count() == 0 {
		return nil
	}
	return &result.Waits{
		Requests: h.Count(), MeanNanoseconds: int64(math.Round(h.Mean())),
		P50AtMostNanoseconds: h.AtMost(0.5), P95AtMostNanoseconds: h.AtMost(0.95), P99AtMostNanoseconds: h.AtMost(0.99),
	}
}
