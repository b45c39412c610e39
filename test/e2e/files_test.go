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

// TestFilesAreMeasured runs bonnie++ and trees of files on a pool: one tree that fits, one for which there is no space,
// and one that is only looked at.
func TestFilesAreMeasured(t *testing.T) {
	b, size := newBenchmark("files"), resource.MustParse("80Mi")
	b.obj.Spec.Devices = []v1alpha1.Device{{Name: "d0", Path: suite.disks[0].path,
		Partitions: []v1alpha1.Partition{{Name: "small", Size: &size}}}}
	b.obj.Spec.Pool.Vdevs = []v1alpha1.Vdev{{Type: v1alpha1.VdevStripe, Devices: []string{"small"}}}
	b.obj.Spec.Workloads = []v1alpha1.Workload{
		{Name: "classic", Bonnie: &v1alpha1.BonnieWorkload{Size: ptr.To(resource.MustParse("4Mi")), Fast: true,
			Files: &v1alpha1.BonnieFiles{Count: 1}}},
		{Name: "tree", Cache: v1alpha1.CacheWarm,
			Tree: &v1alpha1.TreeWorkload{Directories: 3, Files: ptr.To[int32](20), Workers: 2}},
		{Name: "cold", Tree: &v1alpha1.TreeWorkload{Directories: 3, Files: ptr.To[int32](20),
			Phases: []v1alpha1.TreePhase{v1alpha1.TreeRead, v1alpha1.TreeDelete}}},
		{Name: "full", Cache: v1alpha1.CacheWarm, Tree: &v1alpha1.TreeWorkload{
			Levels: ptr.To[int32](0), Files: ptr.To[int32](1000), FileSize: ptr.To(resource.MustParse("4Mi")),
			Phases: []v1alpha1.TreePhase{v1alpha1.TreeCreate, v1alpha1.TreeDelete},
		}},
	}
	obj := b.apply(t)
	docs := readDocuments(t, awaitComplete(t, obj))
	t.Logf("summary.md:\n%s", docs.summary)
	if len(docs.trials) != 1 || len(docs.trials[0].Samples) != 4 {
		t.Fatalf("trials %+v", docs.trials)
	}
	const inodes = 2 * (1 + 3 + 4*20)
	for i, want := range [][]string{
		{"write", "rewrite", "read", "seek", "sequentialCreate", "sequentialStat", "sequentialDelete", "randomCreate",
			"randomStat", "randomDelete"},
		{"create", "stat", "rewrite", "read", "delete"}, {"read", "delete"}, {"create", "delete"},
	} {
		sample := docs.trials[0].Samples[i]
		var phases []string
		for _, p := range sample.Phases {
			phases = append(phases, p.Name)
		}
		if !slices.Equal(phases, want) {
			t.Errorf("%s measured %q, want %q", sample.Workload, phases, want)
		}
	}
	tree, cold, full := docs.trials[0].Samples[1].Phases, docs.trials[0].Samples[2], docs.trials[0].Samples[3].Phases
	if tree[0].IOs != inodes || tree[4].IOs != inodes || tree[3].Bytes != 2*4*20*4096 {
		t.Errorf("the tree: %+v", tree)
	}
	// What is read from a cold cache comes from the disk.
	if cold.DeviceReadBytes < cold.BytesRead() {
		t.Errorf("%d bytes were read of the disk, %d of the files", cold.DeviceReadBytes, cold.BytesRead())
	}
	if full[0].Ended != result.EndedByNoSpace || full[0].IOs != full[1].IOs {
		t.Errorf("the tree without space: %+v", full)
	}
	assertNodeClean(t)
	remove(t, obj)
	assertNothingLeft(t, obj)
}
