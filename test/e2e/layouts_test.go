// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"slices"
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
)

// logAshift is no disk's own.
const logAshift = 14

// TestLayouts runs one write and one read on each kind of target, and holds status and ConfigMap against each other.
func TestLayouts(t *testing.T) {
	layouts := map[string]benchmark{
		"mirror": newBenchmark("mirror").disks(v1alpha1.VdevMirror, 2).property("compression", "off"),
		"raidz1": newBenchmark("raidz1").disks(v1alpha1.VdevRaidz1, 3).property("recordsize", "64K"),
		"files":  newBenchmark("files").files(2, "256Mi"),
		"zvol":   newBenchmark("zvol").disks(v1alpha1.VdevStripe, 1).logAndCache(suite.disks[1], logAshift).volume("256Mi").property("volblocksize", "16K"),
	}
	for name, b := range layouts {
		t.Run(name, func(t *testing.T) {
			got := awaitComplete(t, b.seqWrite().seqRead().apply(t))
			if got.Status.Progress.Percent != 100 || got.Status.Progress.Trials.Completed != 1 {
				t.Errorf("progress is %+v, want 1 trial of 1 and 100 percent", got.Status.Progress)
			}
			if got.Status.Summary.WriteBandwidth == "" || got.Status.Summary.ReadBandwidth == "" {
				t.Errorf("the print columns are empty: %+v", got.Status.Summary)
			}
			assertStatusMatchesDocuments(t, got)
			assertFacts(t, got)
			if found := readDocuments(t, got).first(t).Samples[0].Pool.Ashift; slices.Contains(found, logAshift) != (name == "zvol") {
				t.Errorf("the vdevs have the ashifts %v", found)
			}
		})
	}
}
