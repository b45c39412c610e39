// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"slices"
	"testing"

	"zfsbench.io/operator/internal/result"
)

// assertVdevs holds the latencies of the pool and of each of its devices to what a workload that writes does with them:
// those named are slower than all others.
func assertVdevs(t *testing.T, sample result.Sample, devices int, slow []string) {
	t.Helper()
	var found []result.Vdev
	for _, v := range sample.Vdevs {
		t.Logf("vdev %s: write %+v, of that on the disk %+v", v.Name, v.Write, v.DiskWrite)
		if v.Write == nil || v.DiskWrite == nil || v.DiskWrite.MeanNanoseconds > v.Write.MeanNanoseconds {
			t.Errorf("vdev %+v", v)
			return
		}
		if v.Device {
			found = append(found, v)
		}
	}
	if len(found) != devices || sample.Vdevs[0].Name != "pool" || sample.OmittedVdevs != 0 {
		t.Errorf("vdevs %+v, want the pool and %d devices", sample.Vdevs, devices)
		return
	}
	for _, one := range found {
		for _, other := range found {
			if slices.Contains(slow, one.Name) && !slices.Contains(slow, other.Name) &&
				one.DiskWrite.MeanNanoseconds <= other.DiskWrite.MeanNanoseconds {
				t.Errorf("%s is not slower than %s", one.Name, other.Name)
			}
		}
	}
}
