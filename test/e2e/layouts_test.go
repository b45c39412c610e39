// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
)

// logAshift is no disk's own.
const logAshift = 14

// TestLayouts runs one write and one read on each kind of target, and holds status and ConfigMap against each other.
// The first splits a disk that the others then use as a whole: what a benchmark leaves between the ends of a disk must
// not refuse it to the next. (TestGate runs on files, TestClass on a mirror.)
func TestLayouts(t *testing.T) {
	layouts := []benchmark{
		newBenchmark("zvol").disks(v1alpha1.VdevStripe, 1).logAndCache(suite.disks[1],
			logAshift).volume("256Mi").property("volblocksize", "16K"),
		newBenchmark("raidz1").layout(v1alpha1.LayoutRaidz1, 3).property("recordsize", "64K"),
	}
	for _, b := range layouts {
		t.Run(b.obj.Name, func(t *testing.T) {
			got := awaitComplete(t, b.seqWrite().seqRead().apply(t))
			if got.Status.Progress.Percent != 100 || got.Status.Progress.Trials.Completed != 1 {
				t.Errorf("progress is %+v, want 1 trial of 1 and 100 percent", got.Status.Progress)
			}
			if got.Status.Summary.WriteBandwidth == "" || got.Status.Summary.ReadBandwidth == "" {
				t.Errorf("the print columns are empty: %+v", got.Status.Summary)
			}
			assertStatusMatchesDocuments(t, got)
			assertFacts(t, got)
			docs := readDocuments(t, got)
			if want := "raidz1 d0 d1 d2"; strings.Contains(docs.summary, want) != (b.obj.Name == "raidz1") {
				t.Errorf("whether summary.md has the vdevs of the layout, %s, is wrong:\n%s", want, docs.summary)
			}
			if found := docs.first(t).Samples[0].Pool.Ashift; slices.Contains(found,
				logAshift) != (b.obj.Name == "zvol") {
				t.Errorf("the vdevs have the ashifts %v", found)
			}
		})
	}
}
