// SPDX-License-Identifier: Apache-2.0

package result

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is counted is added up, what is a mean is that of the last round, and the rounds themselves stay as they are.
func TestMonitorsInRounds(t *testing.T) {
	round := func(n int64) Sample {
		return Sample{Monitors: &Monitors{
			Seconds: float64(n), Observations: int(n), CPU: &CPUUse{User: float64(n) / 10},
			ARC: &ARCUse{SizeBytes: n, DemandHits: n, L2Misses: n},
			ZIL: &ZILUse{Commits: n, LogBytes: n}, Txgs: &TxgUse{Synced: n, MaxDirtyBytes: n},
			Transactions: &ThrottleUse{Assigned: n},
		}}
	}
	rounds := []Sample{round(1), round(2), round(3)}
	want := &Monitors{
		Seconds: 6, Observations: 6, CPU: &CPUUse{User: 0.3}, ARC: &ARCUse{SizeBytes: 3, DemandHits: 6, L2Misses: 6},
		ZIL: &ZILUse{Commits: 6, LogBytes: 6}, Txgs: &TxgUse{Synced: 6, MaxDirtyBytes: 3},
		Transactions: &ThrottleUse{Assigned: 6},
	}
	if diff := cmp.Diff(want, MonitorsInRounds(rounds)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(round(3), rounds[2]); diff != "" {
		t.Errorf("the last round was changed:\n%s", diff)
	}
	rounds[0].Monitors.ZIL = nil
	if got := MonitorsInRounds(rounds); got.ZIL != nil || got.ARC.DemandHits != 6 {
		t.Errorf("a ZIL of which one round knows nothing: %+v", got.ZIL)
	}
	if got := MonitorsInRounds(append(rounds, Sample{})); got != nil {
		t.Errorf("a round that was not observed: %+v", got)
	}
}
