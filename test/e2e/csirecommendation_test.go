// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/report"
	"zfsbench.io/operator/internal/spec/matrix"
)

// TestCSIRecommendation uses what spec.recommend returns as it is: zpool-create.txt makes the pool,
// storageclass.yaml the class, and a pod without privileges gets a volume with the properties that won: those which the
// driver carries, and those which only the pool can.
func TestCSIRecommendation(t *testing.T) {
	csiDriver(t)
	t.Run("filesystem", func(t *testing.T) {
		b := newBenchmark("csi-filesystem").disks(v1alpha1.VdevMirror, 2).repetitions(2).
			property("compression", "zstd").property("atime", "off").property("logbias", "throughput").seqWrite()
		b.obj.Spec.Matrix = &v1alpha1.MatrixSpec{Axes: []v1alpha1.Axis{{Name: "recordsize", Property: "recordsize",
			PropertyValues: []v1alpha1.AxisValueName{"16K", "1M"}}}}
		assertRecommended(t, b, "zfs")
	})
	t.Run("volume", func(t *testing.T) {
		b := newBenchmark("csi-volume").disks(v1alpha1.VdevMirror, 2).repetitions(1).volume("256Mi").
			property("compression", "zstd").property("volblocksize", "32K").property("logbias", "throughput").seqWrite()
		b.obj.Spec.Dataset.Volume.Sparse = true
		b.obj.Spec.Dataset.Volume.Filesystem = &v1alpha1.FilesystemSpec{Type: "ext4",
			MountOptions: []v1alpha1.FilesystemOption{"noatime"}}
		assertRecommended(t, b, "ext4")
	})
}

// assertRecommended runs a benchmark of sequential writes, and then lives with the recommendation.
func assertRecommended(t *testing.T, b benchmark, filesystem string) {
	t.Helper()
	b.obj.Spec.Recommend = &v1alpha1.RecommendSpec{MinRedundancy: 1,
		Goals: []v1alpha1.RecommendGoal{{Workload: "seq-write", Metric: v1alpha1.MetricWriteBandwidth}}}
	obj := b.apply(t)
	awaitComplete(t, obj)
	awaitNoPods(t, obj)
	data, best := resultsData(t, obj), recommendedVariant(t, obj)
	t.Logf("recommended is %s:\n%s\n%s",
		best.Name, document(data, report.ZpoolCreateKey), document(data, report.StorageClassKey))

	createPool(t, "pool-"+obj.Name, document(data, report.ZpoolCreateKey))
	class := applyClass(t, document(data, report.StorageClassKey))
	u := newVolumeUser(t, class)
	assertMounted(t, u.writes(t), filesystem, best.Dataset)
	assertProperties(t, u.dataset(t), best.Dataset.Properties)
}

// recommendedVariant is the one which results.json names.
func recommendedVariant(t *testing.T, obj *v1alpha1.ZfsBenchmark) matrix.Variant {
	t.Helper()
	found := readDocuments(t, obj).json.Recommendation
	if found == nil || found.Problem != "" || len(found.Candidates) == 0 {
		t.Fatalf("recommendation %+v", found)
	}
	variants, err := matrix.Expand(obj.Spec)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(variants, func(v matrix.Variant) bool { return v.Name == found.Candidates[0].Variant })
	if i < 0 {
		t.Fatalf("%s is recommended, which is no variant", found.Candidates[0].Variant)
	}
	return variants[i]
}

// createPool runs zpool-create.txt on the node and waits until the driver knows the pool, which is gone when the test
// ends.
func createPool(t *testing.T, name, commands string) {
	t.Helper()
	onNode(t, "sh", "-ec", commands)
	t.Cleanup(func() {
		onNode(t, "zpool", "destroy", name)
		blank(t, suite.disks[:2]...)
	})
	awaitPoolListed(t, name)
}

// applyClass creates the StorageClass and returns its name.
func applyClass(t *testing.T, text string) string {
	t.Helper()
	class := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &class.Object); err != nil {
		t.Fatalf("storageclass.yaml: %v", err)
	}
	if err := suite.client.Create(t.Context(), class); err != nil {
		t.Fatalf("storageclass.yaml: %v\n%s", err, text)
	}
	t.Cleanup(func() {
		if err := client.IgnoreNotFound(suite.client.Delete(context.Background(), class)); err != nil {
			t.Errorf("delete StorageClass %s: %v", class.GetName(), err)
		}
	})
	return class.GetName()
}

// assertMounted holds what findmnt said in the pod against the variant that was recommended.
func assertMounted(t *testing.T, mounted, filesystem string, dataset *v1alpha1.DatasetSpec) {
	t.Helper()
	kind, options, _ := strings.Cut(strings.Join(strings.Fields(mounted), " "), " ")
	if kind != filesystem {
		t.Errorf("the pod has %q mounted, want %s", mounted, filesystem)
	}
	if dataset.Volume == nil {
		return
	}
	for _, option := range dataset.Volume.Filesystem.MountOptions {
		if !slices.Contains(strings.Split(options, ","), string(option)) {
			t.Errorf("the pod has it mounted with %s, without %s", options, option)
		}
	}
}

// assertProperties asks the node which properties the volume of the driver really has.
func assertProperties(t *testing.T, dataset string, want v1alpha1.DatasetProperties) {
	t.Helper()
	names := slices.Sorted(maps.Keys(want))
	output := onNode(t, "zfs", "get", "-H", "-o", "property,value,source", strings.Join(names, ","), dataset)
	t.Logf("zfs get of %s:\n%s", dataset, output)
	got := v1alpha1.DatasetProperties{}
	for line := range strings.Lines(output) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		got[fields[0]] = v1alpha1.PropertyValue(fields[1])
	}
	if !maps.Equal(got, want) {
		t.Errorf("%s has %v, won has %v", dataset, got, want)
	}
}
