// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// TestInspection: zdb finds a sequential file nearly in one piece and one that was overwritten at random in many, and
// that random data of which each file is there four times would be deduplicated four times.
func TestInspection(t *testing.T) {
	studies(t)
	both := []v1alpha1.Inspection{v1alpha1.InspectFragmentation, v1alpha1.InspectSimulatedDedup}
	corpus := &v1alpha1.CorpusWorkload{Parts: []v1alpha1.CorpusPart{{Content: v1alpha1.CorpusRandom,
		Size: resource.MustParse("4Mi"), Copies: 4}}}
	for name, test := range map[string]struct {
		workloads []v1alpha1.Workload
		check     func(t *testing.T, samples []result.Sample)
	}{
		"fragmentation": {[]v1alpha1.Workload{
			{Name: "sequential", Inspect: both,
				Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioWrite, BS: "128k", Size: resource.MustParse("8Mi")}},
			// So slowly that it takes at least three transaction groups, of which each writes in the order of the file.
			{Name: "overwritten", Inspect: both[:1],
				Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioRandWrite, BS: "16k", Size: resource.MustParse("8Mi"), RateIOPS: 32}},
		}, checkFragmentation},
		"dedup": {[]v1alpha1.Workload{{Name: "given", Inspect: both, Corpus: corpus}}, checkSimulatedDedup},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBenchmark("inspect-"+name).disks(v1alpha1.VdevStripe, 1).property("recordsize",
				"16K").property("compression", "off")
			b.obj.Spec.Workloads = test.workloads
			obj := b.apply(t)
			docs := readDocuments(t, awaitComplete(t, obj))
			t.Logf("summary.md:\n%s", docs.summary)
			if len(docs.trials) != 1 || len(docs.trials[0].Samples) != len(test.workloads) {
				t.Fatalf("trials %+v", docs.trials)
			}
			for _, s := range docs.trials[0].Samples {
				if s.Inspected == nil || len(s.Inspected.Missing) > 0 || s.Inspected.Allocation == nil {
					t.Fatalf("after %s zdb found %+v", s.Workload, s.Inspected)
				}
			}
			test.check(t, docs.trials[0].Samples)
			if !strings.Contains(docs.summary, "## Inspected pools") {
				t.Error("the summary does not tell what zdb found")
			}
			assertNodeClean(t)
			remove(t, obj)
			assertNothingLeft(t, obj)
		})
	}
}

func checkFragmentation(t *testing.T, samples []result.Sample) {
	t.Helper()
	sequential, overwritten := *samples[0].Inspected.Allocation, *samples[1].Inspected.Allocation
	t.Logf("sequential %+v, overwritten %+v", sequential, overwritten)
	if sequential.Files != 1 || sequential.Blocks != 512 || sequential.Bytes != 8<<20 || overwritten.Blocks != 512 {
		t.Errorf("a file of 512 blocks is found as %+v, and then %+v", sequential, overwritten)
	}
	if before, after := sequential.FragmentationPercent(), overwritten.FragmentationPercent(); before > 25 ||
		after < 2*before || after < 35 {
		t.Errorf("fragmentation is %.1f%%, after random overwrites %.1f%%", before, after)
	}
	if d := samples[0].Inspected.SimulatedDedup; d == nil || d.Dedup != 1 || samples[1].Inspected.SimulatedDedup != nil {
		t.Errorf("random data would be deduplicated %+v", d)
	}
}

func checkSimulatedDedup(t *testing.T, samples []result.Sample) {
	t.Helper()
	if d := samples[0].Inspected.SimulatedDedup; d == nil || d.Dedup < 3.5 || d.Dedup > 4.1 || d.Compress > 1.3 ||
		d.Copies != 1 {
		t.Errorf("four copies of random data would be deduplicated %+v", d)
	}
}
