// SPDX-License-Identifier: Apache-2.0

package target

import (
	"fmt"
	"testing"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/zfs"
)

func TestRecordVdevs(t *testing.T) {
	reading := func(vdevs, requests int) Waits {
		var all []zfs.Waits
		for i := range vdevs {
			h := zfs.WaitHistogram{0, int64(requests * (i + 1))}
			all = append(all, zfs.Waits{Vdev: fmt.Sprintf("mirror-%d", i), TotalRead: h, TotalWrite: h, DiskRead: h,
				DiskWrite: h})
		}
		return Waits{vdevs: all}
	}
	tests := map[string]struct {
		before, after Waits
		first         string
		told, omitted int
	}{
		"few":                     {reading(2, 1), reading(2, 2), "mirror-0", 2, 0},
		"as many as may be":       {reading(16, 1), reading(16, 2), "mirror-0", 16, 0},
		"more, the busiest":       {reading(20, 1), reading(20, 2), "mirror-4", 16, 4},
		"not later":               {reading(2, 2), reading(2, 1), "", 0, 0},
		"one was added":           {reading(2, 1), reading(3, 2), "", 0, 0},
		"another import":          {reading(2, 1), Waits{reading(2, 2).vdevs, 1}, "", 0, 0},
		"nothing before":          {Waits{}, reading(2, 2), "", 0, 0},
		"nothing after":           {reading(2, 2), Waits{}, "", 0, 0},
		"nothing before or after": {},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var s result.Sample
			(&Target{}).RecordVdevs(test.before, test.after, &s)
			if len(s.Vdevs) != test.told || s.OmittedVdevs != test.omitted || test.told > 0 && s.Vdevs[0].Name != test.first {
				t.Errorf("%d omitted beside %+v", s.OmittedVdevs, s.Vdevs)
			}
		})
	}
}
