// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

// TestPassesRoundsAndSizes reads one file three times, with block and file sizes relative to the dataset and the pool,
// and writes mixed blocks until the rate is steady. The first pass reads from the disks, and the later ones, as the
// file fits into the ARC, do not.
func TestPassesRoundsAndSizes(t *testing.T) {
	studies(t)
	b := newBenchmark("passes").disks(v1alpha1.VdevStripe, 1)
	b.obj.Spec.Dataset = &v1alpha1.DatasetSpec{Properties: v1alpha1.DatasetProperties{"recordsize": "32K",
		"compression": "off"}}
	b.obj.Spec.Workloads = []v1alpha1.Workload{
		{Name: "read", Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioRandRead, BS: v1alpha1.BSRecordsize, RelativeSize: "2%Pool",
			NumJobs: 2, Passes: 3}},
		{Name: "steady", Fio: &v1alpha1.FioWorkload{
			RW: v1alpha1.FioRandWrite, Size: resource.MustParse("4Mi"), Runtime: &metav1.Duration{Duration: 2 * time.Second},
			TimeBased:   new(true),
			BSSplit:     []v1alpha1.FioBlockShare{{BS: "4k", Percent: 60}, {BS: "64k", Percent: 40}},
			SteadyState: &v1alpha1.FioSteadyState{Rounds: 4, Window: 3, Then: v1alpha1.SteadyGoesOn},
		}},
	}
	obj := b.apply(t)
	docs := readDocuments(t, awaitComplete(t, obj))
	t.Logf("summary.md:\n%s", docs.summary)
	if len(docs.trials) != 1 || len(docs.trials[0].Samples) != 4 {
		t.Fatalf("trials %+v", docs.trials)
	}
	samples := docs.trials[0].Samples
	var got []string
	for _, s := range samples {
		got = append(got, fmt.Sprint(s.Workload, " ", s.Pass, " ", s.CacheState))
	}
	if want := []string{"read 1 Cold", "read 2 Warm", "read 3 Warm", "steady 0 Cold"}; !slices.Equal(got, want) {
		t.Fatalf("samples %q, want %q", got, want)
	}
	first, last, steady := samples[0], samples[2], samples[3]
	if !strings.Contains(first.JobFile, "\nbs=32768\n") || first.Read.Bytes%(2<<20) != 0 ||
		first.Read.Bytes != last.Read.Bytes {
		t.Errorf("%d bytes in the first pass, %d in the last, job file:\n%s",
			first.Read.Bytes, last.Read.Bytes, first.JobFile)
	}
	if first.DeviceReadBytes < first.Read.Bytes*9/10 || last.DeviceReadBytes > last.Read.Bytes/10 {
		t.Errorf("devices read %d bytes in the first pass and %d in the last, of %d",
			first.DeviceReadBytes, last.DeviceReadBytes, first.Read.Bytes)
	}
	if s := steady.Steady; s == nil || len(s.IOPS) != 4 || !strings.Contains(steady.JobFile, "bssplit=4096/60:65536/40") ||
		steady.RuntimeNanoseconds < 5*time.Second.Nanoseconds() {
		t.Errorf("steady %+v in %d ns, job file:\n%s", s, steady.RuntimeNanoseconds, steady.JobFile)
	}
	assertNodeClean(t)
	remove(t, obj)
	assertNothingLeft(t, obj)
}
