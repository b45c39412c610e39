// SPDX-License-Identifier: Apache-2.0

package target

import (
	"maps"
	"testing"

	"zfsbench.io/operator/internal/result"
)

func TestDedupMemory(t *testing.T) {
	facts := result.PoolFacts{
		AllocatedBytes: 1 << 40, DatasetProperties: map[string]string{"recordsize": "131072", "logicalused": "1"},
		Children: []result.ChildFacts{{Name: "db", Properties: map[string]string{"recordsize": "16384"}}},
	}
	if got, known := dedupMemory(facts); got != 16<<30 || !known {
		t.Errorf("%v bytes for 1 TiB in blocks of 16 KiB", got)
	}
	facts.Children = nil
	if got, known := dedupMemory(facts); got != 2<<30 || !known {
		t.Errorf("%v bytes for 1 TiB in blocks of 128 KiB", got)
	}
	facts.DatasetProperties["logicalused"] = "17592186044416"
	if got, known := dedupMemory(facts); got != 32<<30 || !known {
		t.Errorf("%v bytes for 16 TiB, compressed to 1, in blocks of 128 KiB", got)
	}
	for _, lacks := range []string{"recordsize", "logicalused"} {
		without := maps.Clone(facts.DatasetProperties)
		delete(without, lacks)
		if _, known := dedupMemory(result.PoolFacts{AllocatedBytes: 1, DatasetProperties: without}); known {
			t.Errorf("it is known without %s", lacks)
		}
	}
}
