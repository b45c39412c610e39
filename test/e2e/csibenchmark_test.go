// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

const (
	// claimNamespace is where the chart has claims, and csiNamespace where the driver's manifests put it.
	claimNamespace = "zfsbench-claims"
	csiNamespace   = "openebs"
	// claimSize is that of every volume and quota, in bytes claimBytes.
	claimSize, claimBytes = "256Mi", "268435456"
	// claimsPatience is for some trials, each of which waits up to a minute for the driver to see its pool.
	claimsPatience = time.Hour
)

// claimed is a value of an axis that lets a variant run on a persistent volume.
func claimed(name v1alpha1.AxisValueName, fsType v1alpha1.PersistentVolumeFSType) v1alpha1.Overlay {
	claim := &v1alpha1.PersistentVolumeOverlay{Size: resource.MustParse(claimSize), FSType: fsType}
	if fsType == "" {
		claim.VolumeMode = v1alpha1.VolumeBlock
	}
	return v1alpha1.Overlay{Name: name, Dataset: &v1alpha1.DatasetOverlay{Type: v1alpha1.DatasetPersistentVolume, PersistentVolume: claim}}
}

// TestCSIBenchmark measures the operator's own dataset and zvol, and what the driver makes of claims, on one mirror. What the driver makes has the room and the properties that were asked for, is read from the disks when
// the cache is cold, and is gone afterwards with everything that it took.
func TestCSIBenchmark(t *testing.T) {
	csiDriver(t)
	size := resource.MustParse(claimSize)
	b := newBenchmark("csi-paths").disks(v1alpha1.VdevMirror, 2).repetitions(2).property("compression", "off").property("logbias", "throughput").
		fio("seq-write", v1alpha1.FioWrite, "128k", "4Mi").fio("seq-read", v1alpha1.FioRead, "128k", "4Mi")
	b.obj.Spec.Matrix = &v1alpha1.MatrixSpec{Axes: []v1alpha1.Axis{{Name: "path", Values: []v1alpha1.Overlay{
		{Name: "dataset", Dataset: &v1alpha1.DatasetOverlay{Quota: &v1alpha1.QuotaOverlay{Size: size}}},
		{Name: "zvol-ext4", Dataset: &v1alpha1.DatasetOverlay{Type: v1alpha1.DatasetVolume, Volume: &v1alpha1.VolumeOverlay{Size: size, Filesystem: &v1alpha1.FilesystemSpec{Type: "ext4"}}}},
		claimed("pvc-zfs", v1alpha1.FSTypeZFS), claimed("pvc-ext4", "ext4"), claimed("pvc-block", ""),
	}}}}
	b.obj.Spec.Comparison = &v1alpha1.ComparisonSpec{Reference: "path=dataset", Margin: "3%"}
	obj := b.apply(t)
	awaitWithin(t, claimsPatience, "benchmark "+obj.Name+" finished", func() (bool, error) {
		err := suite.client.Get(context.Background(), client.ObjectKeyFromObject(obj), obj)
		return finished(obj), err
	}, func() string { return describe(obj) + describeCSIDriver() })
	docs := readDocuments(t, awaitComplete(t, obj))
	t.Log(docs.summary)
	for _, trial := range docs.trials {
		assertClaimed(t, trial)
	}
	remove(t, obj)
	assertNothingLeft(t, obj)
	assertNoClaims(t)
}

// assertClaimed holds a trial to its variant.
func assertClaimed(t *testing.T, trial result.Trial) {
	t.Helper()
	claims := strings.HasPrefix(trial.Variant, "path=pvc-")
	if trial.Failure != nil || len(trial.Samples) != 2 || (trial.Claim != nil) != claims {
		t.Errorf("trial %d of %s: failure %+v, %d samples, claim %+v", trial.Index, trial.Variant, trial.Failure, len(trial.Samples), trial.Claim)
		return
	}
	if claims && (trial.Claim.Driver != csiDriverName || !strings.HasSuffix(trial.Claim.Dataset, "/bench/"+trial.Claim.Volume)) {
		t.Errorf("trial %d of %s: claim %+v", trial.Index, trial.Variant, trial.Claim)
	}
	for _, s := range trial.Samples {
		properties := s.Pool.DatasetProperties
		want := map[string]string{"compression": "off", "logbias": "throughput"}
		if trial.Variant == "path=dataset" || trial.Variant == "path=pvc-zfs" {
			want["quota"], want["reservation"] = claimBytes, claimBytes
		} else {
			want["volsize"] = claimBytes
		}
		for name, value := range want {
			if properties[name] != value {
				t.Errorf("trial %d of %s, %s: %s is %q, want %q", trial.Index, trial.Variant, s.Workload, name, properties[name], value)
			}
		}
		if s.DeviceReadBytes+s.DeviceWrittenBytes < baselineBytes*9/10 {
			t.Errorf("trial %d of %s, %s read %d and wrote %d bytes of the disks", trial.Index, trial.Variant, s.Workload, s.DeviceReadBytes, s.DeviceWrittenBytes)
		}
	}
}

// TestCSIBenchmarkSurvivesARunner kills the runner while a volume is measured: the next one has it removed, destroys the pool, and measures the trial anew.
func TestCSIBenchmarkSurvivesARunner(t *testing.T) {
	csiDriver(t)
	obj := claimBenchmark("csi-killed").apply(t)
	awaitWorkload(t, obj, "timed-write")
	onNode(t, "pkill", "-KILL", "-f", "execute --plan[=]")
	docs := readDocuments(t, awaitComplete(t, obj))
	if len(docs.trials) != 1 || docs.trials[0].Failure != nil || docs.trials[0].Claim == nil {
		t.Errorf("trials %+v", docs.trials)
	}
	remove(t, obj)
	assertNothingLeft(t, obj)
	assertNoClaims(t)
}

// TestCSIBenchmarkIsDeleted deletes a benchmark while a volume is measured.
func TestCSIBenchmarkIsDeleted(t *testing.T) {
	csiDriver(t)
	obj := claimBenchmark("csi-deleted").apply(t)
	awaitWorkload(t, obj, "timed-write")
	remove(t, obj)
	assertNothingLeft(t, obj)
	assertNoClaims(t)
}

func claimBenchmark(name string) benchmark {
	b := newBenchmark(name).disks(v1alpha1.VdevMirror, 2).fio("timed-write", v1alpha1.FioWrite, "128k", "4Mi", timeBased(30*time.Second))
	b.obj.Spec.Dataset = &v1alpha1.DatasetSpec{Type: v1alpha1.DatasetPersistentVolume, PersistentVolume: &v1alpha1.PersistentVolumeSpec{Size: resource.MustParse(claimSize), FSType: v1alpha1.FSTypeZFS}}
	return b
}

// assertNoClaims wants no ZFSVolume, and no claim, pod or StorageClass of the operator's.
func assertNoClaims(t *testing.T) {
	t.Helper()
	awaitNoVolumes(t)
	ours := client.HasLabels{v1alpha1.LabelBenchmarkUID}
	for kind, list := range map[string]client.ObjectList{"claims": &corev1.PersistentVolumeClaimList{}, "pods": &corev1.PodList{}} {
		if err := suite.client.List(t.Context(), list, client.InNamespace(claimNamespace), ours); err != nil || meta.LenList(list) > 0 {
			t.Errorf("%d %s are left in %s: %v", meta.LenList(list), kind, claimNamespace, err)
		}
	}
	var classes storagev1.StorageClassList
	if err := suite.client.List(t.Context(), &classes, ours); err != nil || len(classes.Items) > 0 {
		t.Errorf("%d StorageClasses are left: %v", len(classes.Items), err)
	}
}
