// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
)

// TestCorpusIsCompressed puts text and random data, of which each file occurs four times, into a dataset that
// compresses and deduplicates, and finds the ratios in the report.
func TestCorpusIsCompressed(t *testing.T) {
	studies(t)
	b := newBenchmark("corpus").disks(v1alpha1.VdevStripe, 1).property("compression", "gzip-6").property("dedup",
		"on").property("recordsize", "64K")
	b.obj.Spec.Workloads = []v1alpha1.Workload{{Name: "given",
		Corpus: &v1alpha1.CorpusWorkload{Parts: []v1alpha1.CorpusPart{
			{Content: v1alpha1.CorpusText, Size: resource.MustParse("8Mi"), Copies: 4},
			{Content: v1alpha1.CorpusRandom, Size: resource.MustParse("8Mi"), Copies: 4},
		}}}}
	obj := b.apply(t)
	docs := readDocuments(t, awaitComplete(t, obj))
	t.Logf("summary.md:\n%s", docs.summary)
	if len(docs.trials) != 1 || len(docs.trials[0].Samples) != 1 {
		t.Fatalf("trials %+v", docs.trials)
	}
	s := docs.trials[0].Samples[0]
	if got := operationsOf(s); !slices.Equal(got, []string{"write"}) || s.BytesWritten() != 16<<20 ||
		s.Phases[0].IOs != 16 {
		t.Errorf("measured %q: %+v", got, s.Phases)
	}
	// Half of it compresses about three times in records of this size.
	if ratio := s.Pool.CompressRatio; ratio < 1.3 || ratio > 2 {
		t.Errorf("compressed %v times", ratio)
	}
	if ratio := s.Pool.DedupRatio; ratio < 3.8 || ratio > 4.2 {
		t.Errorf("deduplicated %v times", ratio)
	}
	// What reaches the disk is a quarter of the random data, and less of the text.
	if s.DeviceWrittenBytes > 12<<20 {
		t.Errorf("%d bytes were written to the disk", s.DeviceWrittenBytes)
	}
	if !strings.Contains(docs.summary, "## Compression and deduplication") ||
		strings.Contains(docs.summary, v1alpha1.ConditionDataNotRandom) {
		t.Error("the summary does not tell the ratios, or warns about them")
	}
	assertNodeClean(t)
	remove(t, obj)
	assertNothingLeft(t, obj)
}
