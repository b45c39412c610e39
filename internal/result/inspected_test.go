// SPDX-License-Identifier: Apache-2.0

package result

import "testing"

func TestInspectedIsChecked(t *testing.T) {
	good := Allocation{Files: 1, Blocks: 4, Bytes: 4096, Neighbours: 3, Gaps: 1}
	if err := (&Inspected{Allocation: &good, SimulatedDedup: &SimulatedDedup{1, 1, 1, 1}}).check(); err != nil {
		t.Error(err)
	}
	if good.Extents() != 2 || good.MeanExtentBytes() != 2048 || (Allocation{}).FragmentationPercent() != 0 ||
		(Allocation{}).MeanExtentBytes() != 0 {
		t.Errorf("%d extents of %v bytes", good.Extents(), good.MeanExtentBytes())
	}
	for name, a := range map[string]Allocation{
		"more gaps than neighbours":   {Files: 1, Blocks: 4, Bytes: 4096, Neighbours: 1, Gaps: 2},
		"more neighbours than blocks": {Files: 1, Blocks: 4, Bytes: 4096, Neighbours: 5},
		"more files than blocks":      {Files: 5, Blocks: 4, Bytes: 4096},
		"blocks of no file":           {Blocks: 4, Bytes: 4096},
		"blocks of nothing":           {Files: 1, Blocks: 4},
	} {
		if err := (&Inspected{Allocation: &a}).check(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if err := (&Inspected{SimulatedDedup: &SimulatedDedup{1, 0, 1, 1}}).check(); err == nil {
		t.Error("a factor of 0 is accepted")
	}
}
