// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
)

// TestExternalToolsAreMeasured runs fs_mark and dbench on a pool.
func TestExternalToolsAreMeasured(t *testing.T) {
	studies(t)
	b := newBenchmark("other-tools").files(1, "512Mi")
	b.obj.Spec.Workloads = []v1alpha1.Workload{
		{Name: "marks", Fsmark: &v1alpha1.FsmarkWorkload{Files: 20, FileSize: ptr.To(resource.MustParse("4Ki")), Threads: 2,
			Directories: 2, Subdirectories: 2}},
		{Name: "synced", Fsmark: &v1alpha1.FsmarkWorkload{Files: 20, FileSize: ptr.To(resource.MustParse("4Ki")),
			Sync: v1alpha1.FsmarkSyncSyncPost}},
		{Name: "clients", Dbench: &v1alpha1.DbenchWorkload{Clients: 2,
			Runtime: &metav1.Duration{Duration: 10 * time.Second}}},
	}
	obj := b.apply(t)
	docs := readDocuments(t, awaitComplete(t, obj))
	t.Logf("summary.md:\n%s", docs.summary)
	if len(docs.trials) != 1 || len(docs.trials[0].Samples) != 3 {
		t.Fatalf("trials %+v", docs.trials)
	}
	for i, want := range []struct {
		tool  string
		bytes int64
	}{{"fs_mark-3.3", 2 * 20 * 4096}, {"fs_mark-3.3", 20 * 4096}, {"dbench-4.00", 1}} {
		sample := docs.trials[0].Samples[i]
		if first := sample.Phases[0]; sample.ToolVersion != want.tool || first.Bytes < want.bytes ||
			i < 2 && first.Bytes != want.bytes || first.BandwidthBytesPerSecond <= 0 {
			t.Errorf("%s by %s: %+v", sample.Workload, sample.ToolVersion, first)
		}
		if sample.DeviceWrittenBytes < want.bytes && i < 2 {
			t.Errorf("%s: %d bytes reached the devices", sample.Workload, sample.DeviceWrittenBytes)
		}
	}
	remove(t, obj)
	assertNothingLeft(t, obj)
}

func needsIozone(spec v1alpha1.ZfsBenchmarkSpec) bool {
	return slices.ContainsFunc(spec.Workloads, func(w v1alpha1.Workload) bool { return w.Iozone != nil })
}

// assertIozoneIsRefused wants the preflight to say what is missing: the runner under test was built without iozone.
func assertIozoneIsRefused(t *testing.T, obj *v1alpha1.ZfsBenchmark) {
	t.Helper()
	reason, message := awaitFailed(t, obj)
	if reason != v1alpha1.ReasonPreflightFailed || !strings.Contains(message, "does not run iozone") {
		t.Errorf("failed with %s %q, want %s about iozone", reason, message, v1alpha1.ReasonPreflightFailed)
	}
}

// reduceOthers leaves 4 MiB for all threads of iozone together, a few files of fs_mark's, and five seconds of dbench.
func reduceOthers(w v1alpha1.Workload) {
	const most, largestRecord = 4 << 20, 64 << 10
	if z := w.Iozone; z != nil {
		z.RecordSize = resource.NewQuantity(min(z.RecordBytes(), largestRecord), resource.BinarySI)
		z.Size = *resource.NewQuantity(most/int64(max(1, z.Threads))/largestRecord*largestRecord, resource.BinarySI)
	}
	if m := w.Fsmark; m != nil {
		m.Files = min(m.WithDefaults().Files, 10)
		m.FileSize = resource.NewQuantity(min(m.WithDefaults().FileSize.Value(), largestRecord), resource.BinarySI)
	}
	if d := w.Dbench; d != nil {
		d.Clients, d.Runtime = min(d.Clients, 2), &metav1.Duration{Duration: 5 * time.Second}
	}
}
