// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"testing"
	"time"
)

// TestScanTakesTime: disks are read at once, so the largest one that is read as a whole counts, once for all trials.
func TestScanTakesTime(t *testing.T) {
	p := Plan{
		Trials: []Trial{{}, {Index: 1}},
		Devices: []Device{{Name: "a", SizeBytes: 16 << 40}, {Name: "b", SizeBytes: 16 << 30, FullScan: true},
			{Name: "c", SizeBytes: 32 << 30, FullScan: true}},
	}
	const scan = 2048 * time.Second // 32 GiB at 16 MiB/s
	without := p
	without.Devices = p.Devices[:1]
	if got := EstimateDuration(Expand(p, nil)) - EstimateDuration(Expand(without, nil)); got != scan {
		t.Errorf("the estimate has %v for the scan, want %v", got, scan)
	}
	long, short := DefaultTimeout(p), max(timeoutFactor*EstimateDuration(Expand(without, nil)), minTimeout)
	if long < timeoutFactor*scan || long <= short {
		t.Errorf("the timeout is %v with the scan and %v without", long, short)
	}
}
