// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
)

// TestCSIClaimSurvivesARunner kills the runner while a volume is measured: the next one has it removed, destroys the
// pool, and measures the trial again.
func TestCSIClaimSurvivesARunner(t *testing.T) {
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
	awaitNoVolumes(t)
	assertNoClaims(t, obj)
}

// TestCSIClaimIsDeleted deletes a benchmark while a volume is measured.
func TestCSIClaimIsDeleted(t *testing.T) {
	csiDriver(t)
	obj := claimBenchmark("csi-deleted").apply(t)
	awaitWorkload(t, obj, "timed-write")
	remove(t, obj)
	assertNothingLeft(t, obj)
	awaitNoVolumes(t)
	assertNoClaims(t, obj)
}

func claimBenchmark(name string) benchmark {
	b := newBenchmark(name).disks(v1alpha1.VdevMirror, 2).fio("timed-write", v1alpha1.FioWrite, "128k", "4Mi",
		timeBased(30*time.Second))
	b.obj.Spec.Dataset = &v1alpha1.DatasetSpec{Type: v1alpha1.DatasetPersistentVolume,
		PersistentVolume: &v1alpha1.PersistentVolumeSpec{Size: resource.MustParse("256Mi"), FSType: v1alpha1.FSTypeZFS}}
	return b
}
