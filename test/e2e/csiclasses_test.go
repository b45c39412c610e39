// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// TestCSIForeignClass measures a volume of somebody else's StorageClass, in somebody else's pool, beside a pool of the
// benchmark: only once the storage administrator consents, and nothing of theirs changes.
func TestCSIForeignClass(t *testing.T) {
	csiDriver(t)
	unchanged := somebodysPool(t)
	class := somebodysClass(t, "zfsbench-e2e-somebody", "somebody", storagev1.VolumeBindingWaitForFirstConsumer)
	obj := onClass("csi-foreign", class.Name).apply(t)
	assertWaitsForPolicy(t, obj, v1alpha1.ReasonPolicyMismatch, "BenchmarkDevicePolicy e2e", "storageClasses: [{name: "+
		class.Name+", totalSize: 64Mi}]")
	allowClass(t, class.Name, "64Mi")
	awaitComplete(t, obj)
	trial := trialOf(t, obj, "other")
	if c := trial.Claim; trial.Failure != nil || len(trial.Samples) != 1 || c == nil || c.Driver != csiDriverName ||
		c.StorageClass != class.Name || c.Volume == "" || c.Dataset != "" {
		t.Errorf("trial of the class: %+v, claim %+v", trial, c)
	}
	remove(t, obj)
	awaitNoVolumes(t)
	assertNoClaims(t, obj)
	unchanged()
	now := &storagev1.StorageClass{}
	if err := suite.client.Get(t.Context(), client.ObjectKeyFromObject(class), now); err != nil ||
		now.ResourceVersion != class.ResourceVersion {
		t.Errorf("StorageClass %s has changed: %+v, %v", class.Name, now, err)
	}
}

// TestCSIStuckProvisioning claims a volume in a pool that does not exist: the benchmark fails after the deadline, with
// what the driver said, keeps the result that it has, and nothing is left. The deadline makes this test take more than
// five minutes.
func TestCSIStuckProvisioning(t *testing.T) {
	csiDriver(t)
	class := somebodysClass(t, "zfsbench-e2e-nowhere", "nowhere", storagev1.VolumeBindingImmediate)
	allowClass(t, class.Name, "64Mi")
	obj := onClass("csi-stuck", class.Name).apply(t)
	reason, message := awaitFailed(t, obj)
	t.Logf("failed with %s: %s", reason, message)
	if reason != v1alpha1.ReasonClaimFailed {
		t.Errorf("failed with %s, want %s", reason, v1alpha1.ReasonClaimFailed)
	}
	for _, want := range []string{"ariant other: could not claim the volume", "after 5m0s", "ProvisioningFailed",
		"rpc error"} {
		if !strings.Contains(message, want) {
			t.Errorf("message %q does not tell of %s", message, want)
		}
	}
	if trial := trialOf(t, obj, "default"); trial.Failure != nil {
		t.Errorf("the pool's own trial failed as well: %+v", trial.Failure)
	}
	remove(t, obj)
	assertNoClaims(t, obj)
	awaitNoVolumes(t)
}

// onClass is a benchmark of a small pool, and of a volume of a StorageClass. The cache of somebody else's pool cannot
// be emptied.
func onClass(name, class string) benchmark {
	b := newBenchmark(name).files(1, "256Mi").seqWrite()
	b.obj.Spec.Workloads[0].Cache = v1alpha1.CacheWarm
	b.obj.Spec.Baselines = []v1alpha1.Baseline{{Name: "other",
		PersistentVolume: &v1alpha1.PersistentVolumeBaseline{StorageClassName: class, Size: resource.MustParse("64Mi")}}}
	return b
}

// allowClass consents to volumes of a StorageClass for the duration of a test.
func allowClass(t *testing.T, name, size string) {
	t.Helper()
	suite.grant(t, "e2e-classes", v1alpha1.BenchmarkDevicePolicySpec{
		StorageClasses: []v1alpha1.PolicyStorageClass{{Name: name, TotalSize: resource.MustParse(size)}},
	})
}

// somebodysClass creates a StorageClass of the driver's for datasets in a pool.
func somebodysClass(t *testing.T, name, pool string, binding storagev1.VolumeBindingMode) *storagev1.StorageClass {
	t.Helper()
	return somebodysClassWith(t, name, binding, map[string]string{"poolname": pool, "fstype": "zfs"})
}

func somebodysClassWith(
	t *testing.T, name string, binding storagev1.VolumeBindingMode, parameters map[string]string,
) *storagev1.StorageClass {
	t.Helper()
	class := &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: csiDriverName, Parameters: parameters,
		ReclaimPolicy: ptr.To(corev1.PersistentVolumeReclaimDelete), VolumeBindingMode: &binding,
	}
	if err := suite.client.Create(t.Context(), class); err != nil {
		t.Fatalf("create StorageClass %s: %v", name, err)
	}
	t.Cleanup(func() {
		if err := client.IgnoreNotFound(suite.client.Delete(context.Background(), class)); err != nil {
			t.Errorf("delete StorageClass %s: %v", name, err)
		}
	})
	return class
}

// somebodysPool makes a pool on a file of the node, with data in it, which the driver knows. What is returned wants it
// to be as it was.
func somebodysPool(t *testing.T) (unchanged func()) {
	t.Helper()
	onNode(t, "sh", "-ec", "mkdir -p "+foreignDirectory+"; cd "+foreignDirectory+`
truncate -s 512M vdev
zpool create -m `+foreignDirectory+`/pool somebody `+foreignDirectory+`/vdev
head -c 8M /dev/urandom > pool/precious`)
	t.Cleanup(func() { onNode(t, "sh", "-c", "zpool destroy -f somebody && rm -rf "+foreignDirectory) })
	look := func() string {
		return onNode(t, "sh", "-ec", "zpool sync somebody; sha256sum "+foreignDirectory+
			"/pool/precious; zpool list -H -o guid,health somebody; zfs get -Hp -r -s local,received -o name,property,value "+
			"all somebody; zfs list -H -r -t all -o name,guid somebody")
	}
	before := look()
	awaitPoolListed(t, "somebody")
	return func() {
		t.Helper()
		if now := look(); now != before {
			t.Errorf("somebody else's pool has changed:\nbefore %s\nafter  %s", before, now)
		}
	}
}

// trialOf is the only trial of a variant.
func trialOf(t *testing.T, obj *v1alpha1.ZfsBenchmark, variant string) result.Trial {
	t.Helper()
	trials := readDocuments(t, obj).trials
	i := slices.IndexFunc(trials, func(trial result.Trial) bool { return trial.Variant == variant })
	if i < 0 {
		t.Fatalf("there is no trial of %s among %d:\n%s", variant, len(trials), describe(obj))
	}
	return trials[i]
}
