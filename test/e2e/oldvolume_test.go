// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
)

// TestOldVolumeOfAClassByHand: somebody keeps an ext4 with data on a disk, as a Retain PersistentVolume of a class
// without a provisioner whose own reclaimPolicy is Delete. Consent to the class does not make the disk the benchmark's.
// No CSI driver is needed.
func TestOldVolumeOfAClassByHand(t *testing.T) {
	switchClaimsOn(t)
	d := suite.disks[0]
	t.Cleanup(func() { blank(t, d) })
	onNode(t, "sh", "-ec", `mkfs.ext4 -q -F "$1"; mkdir -p /mnt/somebody; mount "$1" /mnt/somebody
head -c 4M /dev/urandom > /mnt/somebody/precious; umount /mnt/somebody; rmdir /mnt/somebody; sync`, "sh", d.path)
	sum := func() string {
		return onNode(t, "sh", "-ec", `blockdev --flushbufs "$1"; head -c 64M "$1" | sha256sum`, "sh", d.path)
	}
	before := sum()
	unchanged := remember(t, d)
	const class = "zfsbench-e2e-by-hand"
	volume := classByHand(t, class, d)
	allowClass(t, class, "1Gi")
	b := newBenchmark("old-by-hand").files(1, "256Mi").seqWrite()
	b.obj.Spec.Workloads[0].Cache = v1alpha1.CacheWarm
	b.obj.Spec.Baselines = []v1alpha1.Baseline{{Name: "other", PersistentVolume: &v1alpha1.PersistentVolumeBaseline{
		StorageClassName: class, Size: resource.MustParse("64Mi"), VolumeMode: v1alpha1.VolumeBlock,
	}}}
	obj := b.apply(t)
	assertWaitsForPolicy(t, obj, v1alpha1.ReasonDriverNotReady, "StorageClass "+class+" makes no volumes")
	remove(t, obj)
	unchanged()
	if now := sum(); now != before {
		t.Errorf("the disk holds %s, and held %s", now, before)
	}
	blank(t, d)
	assertNoClaims(t, obj)
	assertAvailable(t, volume, corev1.PersistentVolumeReclaimRetain)
}

// switchClaimsOn lets the operator claim volumes for the duration of a test, without a driver: a class of somebody else
// needs none.
func switchClaimsOn(t *testing.T) {
	t.Helper()
	if os.Getenv(csiManifests) != "" {
		return // it does
	}
	const namespace = "zfsbench-e2e-driver"
	createForTest(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})
	upgrade := func(enabled string) error {
		return suite.helm(context.Background(), "upgrade", "zfsbench", "../../charts/zfs-benchmark-operator",
			"--reuse-values", "--wait",
			"--timeout", "5m", "--set", "csi.enabled="+enabled+",csi.driverNamespace="+namespace)
	}
	t.Cleanup(func() {
		if err := upgrade("false"); err != nil {
			t.Errorf("switch claims off: %v", err)
		}
	})
	if err := upgrade("true"); err != nil {
		t.Fatalf("switch claims on: %v", err)
	}
}

// classByHand creates a class without a provisioner, and a PersistentVolume of it on a disk.
func classByHand(t *testing.T, name string, d disk) *corev1.PersistentVolume {
	t.Helper()
	mode := storagev1.VolumeBindingWaitForFirstConsumer
	class := &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: "kubernetes.io/no-provisioner",
		ReclaimPolicy: ptr.To(corev1.PersistentVolumeReclaimDelete), VolumeBindingMode: &mode,
	}
	volume := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: corev1.ResourceList{corev1.ResourceStorage: *resource.NewQuantity(d.size,
				resource.BinarySI)},
			AccessModes:                   []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain, StorageClassName: name,
			VolumeMode:             ptr.To(corev1.PersistentVolumeBlock),
			PersistentVolumeSource: corev1.PersistentVolumeSource{Local: &corev1.LocalVolumeSource{Path: d.path}},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{
					MatchExpressions: []corev1.NodeSelectorRequirement{{
						Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{suite.node.Name},
					}},
				}},
			}},
		},
	}
	for _, obj := range []client.Object{class, volume} {
		createForTest(t, obj)
	}
	return volume
}

// createForTest creates an object and deletes it when the test ends.
func createForTest(t *testing.T, obj client.Object) {
	t.Helper()
	if err := suite.client.Create(t.Context(), obj); err != nil {
		t.Fatalf("create %T %s: %v", obj, obj.GetName(), err)
	}
	t.Cleanup(func() {
		if err := client.IgnoreNotFound(suite.client.Delete(context.Background(), obj)); err != nil {
			t.Errorf("delete %T %s: %v", obj, obj.GetName(), err)
		}
	})
}

// assertAvailable wants a volume that nobody has claimed, as it was.
func assertAvailable(t *testing.T, volume *corev1.PersistentVolume, policy corev1.PersistentVolumeReclaimPolicy) {
	t.Helper()
	now := &corev1.PersistentVolume{}
	if err := suite.client.Get(t.Context(), client.ObjectKeyFromObject(volume), now); err != nil {
		t.Fatal(err)
	}
	if now.UID != volume.UID || now.Spec.ClaimRef != nil || now.Spec.PersistentVolumeReclaimPolicy != policy {
		t.Errorf("volume %s is claimed by %+v, reclaimPolicy %s",
			now.Name, now.Spec.ClaimRef, now.Spec.PersistentVolumeReclaimPolicy)
	}
}

// TestCSIOldVolume: a class of the real driver has an older volume with data that anybody may claim, and that
// Kubernetes would remove with its claim. Where the class binds at once, the claim gets it: the benchmark fails, names
// it, and it stays. Where the class waits, the claim gets a new one, and the benchmark completes.
func TestCSIOldVolume(t *testing.T) {
	csiDriver(t)
	unchanged := somebodysPool(t)
	for name, binding := range map[string]storagev1.VolumeBindingMode{
		"at-once": storagev1.VolumeBindingImmediate, "waits": storagev1.VolumeBindingWaitForFirstConsumer,
	} {
		for kind, mode := range map[string]corev1.PersistentVolumeMode{"block": corev1.PersistentVolumeBlock,
			"files": corev1.PersistentVolumeFilesystem} {
			t.Run(name+"-"+kind, func(t *testing.T) { oldVolume(t, "csi-old-"+name+"-"+kind, binding, mode) })
		}
	}
	awaitNoVolumes(t)
	unchanged()
}

func oldVolume(t *testing.T, name string, binding storagev1.VolumeBindingMode, mode corev1.PersistentVolumeMode) {
	t.Helper()
	parameters := map[string]string{"poolname": "somebody"}
	if mode == corev1.PersistentVolumeFilesystem {
		parameters["fstype"] = "zfs"
	}
	class := somebodysClassWith(t, "zfsbench-e2e-"+name, binding, parameters)
	old := availableVolume(t, class.Name, mode)
	dataset := "somebody/" + old.Spec.CSI.VolumeHandle
	content := func() string {
		if mode == corev1.PersistentVolumeBlock {
			return onNode(t, "sh", "-ec", "zpool sync somebody; sha256sum /dev/zvol/"+dataset)
		}
		return onNode(t, "sh", "-ec", "mount -t zfs -o ro "+dataset+" /mnt; sha256sum /mnt/*; umount /mnt")
	}
	before := content()
	allowClass(t, class.Name, "64Mi")
	b := onClass(name, class.Name)
	if mode == corev1.PersistentVolumeBlock {
		b.obj.Spec.Baselines[0].PersistentVolume.VolumeMode = v1alpha1.VolumeBlock
	}
	obj := b.apply(t)
	if binding == storagev1.VolumeBindingWaitForFirstConsumer {
		awaitComplete(t, obj)
		if trial := trialOf(t, obj, "other"); trial.Claim == nil || trial.Claim.Volume == old.Name {
			t.Errorf("trial %+v", trial)
		}
		assertAvailable(t, old, corev1.PersistentVolumeReclaimDelete)
	} else {
		reason, message := awaitFailed(t, obj)
		if reason != v1alpha1.ReasonClaimFailed || !strings.Contains(message, "PersistentVolume "+old.Name) {
			t.Errorf("failed with %s: %s", reason, message)
		}
		now := &corev1.PersistentVolume{}
		if err := suite.client.Get(t.Context(), client.ObjectKeyFromObject(old), now); err != nil ||
			now.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRetain {
			t.Errorf("volume %+v, error %v", now.Spec, err)
		}
	}
	remove(t, obj)
	if now := content(); now != before {
		t.Errorf("the old volume holds %s, and held %s", now, before)
	}
}

// availableVolume has the driver make a volume for somebody, who writes to it and gives it up: it is kept, and then
// offered again.
func availableVolume(t *testing.T, class string, mode corev1.PersistentVolumeMode) *corev1.PersistentVolume {
	t.Helper()
	claim := userClaim(class)
	claim.Namespace, claim.Name = benchNamespace, class
	claim.Annotations = map[string]string{"volume.kubernetes.io/selected-node": suite.node.Name}
	claim.Spec.VolumeMode = &mode
	claim.Spec.Resources.Requests[corev1.ResourceStorage] = resource.MustParse("64Mi")
	createForTest(t, claim)
	await(t, "somebody's claim bound", func() (bool, error) {
		err := suite.client.Get(context.Background(), client.ObjectKeyFromObject(claim), claim)
		return claim.Status.Phase == corev1.ClaimBound, err
	}, describeCSIDriver)
	volume := &corev1.PersistentVolume{}
	if err := suite.client.Get(t.Context(), client.ObjectKey{Name: claim.Spec.VolumeName}, volume); err != nil {
		t.Fatal(err)
	}
	dataset := "somebody/" + volume.Spec.CSI.VolumeHandle
	script := "mount -t zfs " + dataset + " /mnt; head -c 1M /dev/urandom > /mnt/precious; umount /mnt"
	if mode == corev1.PersistentVolumeBlock {
		script = "head -c 1M /dev/urandom | dd of=/dev/zvol/" + dataset + " bs=64k seek=256 conv=fsync status=none"
	}
	onNode(t, "sh", "-ec", script)
	patchVolume(t, volume, `{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}`)
	if err := suite.client.Delete(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
	await(t, "somebody's volume released", func() (bool, error) {
		err := suite.client.Get(context.Background(), client.ObjectKeyFromObject(volume), volume)
		return volume.Status.Phase == corev1.VolumeReleased, err
	}, describeCSIDriver)
	patchVolume(t, volume, `{"spec":{"claimRef":null}}`)
	await(t, "somebody's volume available", func() (bool, error) {
		err := suite.client.Get(context.Background(), client.ObjectKeyFromObject(volume), volume)
		return volume.Status.Phase == corev1.VolumeAvailable, err
	}, describeCSIDriver)
	// Not before: the provisioner removes a volume that is still Released, with or without a claim.
	patchVolume(t, volume, `{"spec":{"persistentVolumeReclaimPolicy":"Delete"}}`)
	t.Cleanup(func() { removeVolume(t, volume) })
	return volume
}

func patchVolume(t *testing.T, volume *corev1.PersistentVolume, patch string) {
	t.Helper()
	if err := suite.client.Patch(context.Background(), volume,
		client.RawPatch("application/merge-patch+json", []byte(patch))); err != nil {
		t.Fatalf("patch PersistentVolume %s: %v", volume.Name, err)
	}
}

// removeVolume has the driver remove the volume. One that is released goes as soon as Kubernetes may remove it; one
// that nobody has claimed since goes by hand, with what the driver has of it.
func removeVolume(t *testing.T, volume *corev1.PersistentVolume) {
	t.Helper()
	patchVolume(t, volume, `{"spec":{"claimRef":{"apiVersion":"v1","kind":"PersistentVolumeClaim","namespace":"`+
		benchNamespace+`","name":"gone","uid":"gone"},"persistentVolumeReclaimPolicy":"Delete"}}`)
	await(t, "PersistentVolume "+volume.Name+" gone", func() (bool, error) {
		err := suite.client.Get(context.Background(), client.ObjectKeyFromObject(volume), volume)
		return err != nil && client.IgnoreNotFound(err) == nil, client.IgnoreNotFound(err)
	}, describeCSIDriver)
}
