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

// poolVdev is what the whole pool is called among its vdevs: its own name is another one in every trial.
const poolVdev = "pool"

// Waits is how long requests to a pool's vdevs took since it was imported; zero if that is not known.
type Waits struct {
	vdevs []zfs.Waits
	// imports counts imports: readings on both sides of one cannot be subtracted.
	imports int
}

// ReadWaited only adds to a result: what cannot be read is missing there, and said in the log.
func (h *Host) ReadWaited(ctx context.Context, t *Target) Waits {
	vdevs, err := h.Storage(t).waits(ctx, t)
	if err != nil {
		h.Log.Warn("how long requests to the vdevs take is not known", "pool", t.Pool(), "error", err)
		return Waits{}
	}
	return Waits{vdevs, t.imports}
}

// RecordVdevs adds to a sample what the vdevs did between two readings, if these are of the same vdevs of the same
// import.
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

// mostRequests keeps at most so many vdevs, in their order.
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

// vdev is what a sample says of a vdev.
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

// waitsOf is nil for no request.
func waitsOf(h zfs.WaitHistogram) *result.Waits {
	if h.Count() == 0 {
		return nil
	}
	return &result.Waits{
		Requests: h.Count(), MeanNanoseconds: int64(math.Round(h.Mean())),
		P50AtMostNanoseconds: h.AtMost(0.5), P95AtMostNanoseconds: h.AtMost(0.95), P99AtMostNanoseconds: h.AtMost(0.99),
	}
}
