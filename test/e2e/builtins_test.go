// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// operationsOf are the names of what a workload has measured, in order.
func operationsOf(s result.Sample) []string {
	var names []string
	for _, p := range s.Operations() {
		names = append(names, p.Name)
	}
	return names
}

// TestStreamsAreMeasured writes and reads with several streams at once; what is only read comes from the disk.
func TestStreamsAreMeasured(t *testing.T) {
	studies(t)
	b := newBenchmark("streams").disks(v1alpha1.VdevStripe, 1)
	b.obj.Spec.Workloads = []v1alpha1.Workload{
		{Name: "both", Streams: &v1alpha1.StreamsWorkload{Counts: []int32{1, 3}, Size: resource.MustParse("2Mi"),
			BlockSize: ptr.To(resource.MustParse("64Ki"))}},
		{Name: "cold", Streams: &v1alpha1.StreamsWorkload{Counts: []int32{2, 4}, Size: resource.MustParse("2Mi"),
			Phases: []v1alpha1.StreamsPhase{v1alpha1.StreamsRead}}},
	}
	obj := b.apply(t)
	docs := readDocuments(t, awaitComplete(t, obj))
	t.Logf("summary.md:\n%s", docs.summary)
	if len(docs.trials) != 1 || len(docs.trials[0].Samples) != 2 {
		t.Fatalf("trials %+v", docs.trials)
	}
	both, cold := docs.trials[0].Samples[0], docs.trials[0].Samples[1]
	if got, want := operationsOf(both), []string{"write1", "write3", "read1", "read3"}; !slices.Equal(got, want) {
		t.Errorf("measured %q, want %q", got, want)
	}
	if got, want := operationsOf(cold), []string{"read2", "read4"}; !slices.Equal(got, want) {
		t.Errorf("measured %q, want %q", got, want)
	}
	const mib = 1 << 20
	if both.BytesWritten() != 8*mib || both.BytesRead() != 8*mib || both.Phases[1].IOs != 3*2*mib/(64<<10) {
		t.Errorf("both: %+v", both.Phases)
	}
	if cold.BytesRead() != 12*mib || cold.DeviceReadBytes < cold.BytesRead() {
		t.Errorf("%d bytes were read of the disk, %d of the files", cold.DeviceReadBytes, cold.BytesRead())
	}
	assertNodeClean(t)
	remove(t, obj)
	assertNothingLeft(t, obj)
}

// TestTreesAreCopied copies a tree with each tool; what is copied is read from the disk, and written once more.
func TestTreesAreCopied(t *testing.T) {
	studies(t)
	b := newBenchmark("copies").disks(v1alpha1.VdevStripe, 1)
	copies := func(tool v1alpha1.CopyTool) *v1alpha1.CopyWorkload {
		return &v1alpha1.CopyWorkload{Tool: tool, Directories: 3, Files: ptr.To[int32](10),
			FileSize: ptr.To(resource.MustParse("128Ki"))}
	}
	b.obj.Spec.Workloads = []v1alpha1.Workload{{Name: "by-rsync", Copy: copies(v1alpha1.CopyRsync)},
		{Name: "by-cp", Copy: copies(v1alpha1.CopyCp)}}
	obj := b.apply(t)
	docs := readDocuments(t, awaitComplete(t, obj))
	t.Logf("summary.md:\n%s", docs.summary)
	if len(docs.trials) != 1 || len(docs.trials[0].Samples) != 2 {
		t.Fatalf("trials %+v", docs.trials)
	}
	const inodes, bytes = 1 + 3 + 4*10, 4 * 10 * 128 << 10
	for _, s := range docs.trials[0].Samples {
		if got := operationsOf(s); !slices.Equal(got, []string{"copy"}) {
			t.Errorf("%s measured %q", s.Workload, got)
			continue
		}
		if p := s.Phases[0]; p.IOs != inodes || p.Bytes != bytes || p.SyncNanoseconds == 0 {
			t.Errorf("%s: %+v", s.Workload, p)
		}
		if s.DeviceReadBytes < bytes || s.DeviceWrittenBytes < bytes {
			t.Errorf("%s: the disk read %d bytes and wrote %d, the files have %d",
				s.Workload, s.DeviceReadBytes, s.DeviceWrittenBytes, bytes)
		}
		if want := "by-" + s.Tool; s.Workload != want || s.ToolVersion == s.Tool+"-" {
			t.Errorf("%s was measured by %s, %s", s.Workload, s.Tool, s.ToolVersion)
		}
	}
	assertNodeClean(t)
	remove(t, obj)
	assertNothingLeft(t, obj)
}
