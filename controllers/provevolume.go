// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Annotations of Kubernetes, as k8s.io/component-helpers/storage/volume (pv_helpers.go) defines them.
const (
	annotationProvisionedBy      = "pv.kubernetes.io/provisioned-by"
	annotationBoundByController  = "pv.kubernetes.io/bound-by-controller"
	annotationStorageProvisioner = "volume.kubernetes.io/storage-provisioner"
	// noProvisioner is the provisioner of a class whose volumes are made by hand.
	noProvisioner = "kubernetes.io/no-provisioner"
)

// volumeEvidence is what distinguishes a volume that was made for a claim from an older one that the claim was bound
// to.
type volumeEvidence struct {
	// class is nil if it no longer exists.
	class *storagev1.StorageClass
	claim *corev1.PersistentVolumeClaim
	// volume is the one that is bound, or about to be bound, to the claim; nil if there is none.
	volume *corev1.PersistentVolume
	// all are the volumes of the cluster.
	all []corev1.PersistentVolume
}

// doubt says why the volume may not have been made for the claim, in words that follow its name; empty means that it
// was made for the claim. No sign is enough by itself: static provisioners write provisioned-by as well, and after
// binding, every volume has the claim's UID in claimRef.
func (e volumeEvidence) doubt() string {
	for _, check := range []func(volumeEvidence) string{
		doubtClass, doubtProvisioner, doubtBinding, doubtClaimRef, doubtAge, doubtSource,
	} {
		if text := check(e); text != "" {
			return text
		}
	}
	return ""
}

// doubtClass requires a class that makes volumes, and that the volume has the name of this class:
// provisionClaimOperation of sig-storage-lib-external-provisioner (controller/controller.go) sets it on every volume
// that it makes.
func doubtClass(e volumeEvidence) string {
	switch {
	case e.class == nil:
		return "has a StorageClass that no longer exists, so nothing says what makes its volumes"
	case !hasProvisioner(e.class):
		return fmt.Sprintf("is of StorageClass %s, which makes no volumes (provisioner %q)",
			e.class.Name, e.class.Provisioner)
	case e.volume.Spec.StorageClassName != e.class.Name:
		return fmt.Sprintf("is of StorageClass %q, not %s", e.volume.Spec.StorageClassName, e.class.Name)
	}
	return ""
}

// doubtProvisioner requires two annotations that agree with the class. The PersistentVolume controller sets
// storage-provisioner on a claim only when it finds no existing volume for it (setClaimProvisioner, called by
// provisionClaim, in k8s.io/kubernetes/pkg/controller/volume/persistentvolume). The provisioner sets provisioned-by on
// the volume that it makes (provisionClaimOperation). A class of an in-tree driver that is migrated to CSI has two
// names, and is refused.
func doubtProvisioner(e volumeEvidence) string {
	want := e.class.Provisioner
	if by := e.volume.Annotations[annotationProvisionedBy]; by != want {
		return fmt.Sprintf("was not made by %s, the provisioner of its class (%s is %q)", want, annotationProvisionedBy, by)
	}
	if asked := e.claim.Annotations[annotationStorageProvisioner]; asked != want {
		return fmt.Sprintf("existed before anybody asked %s for one (%s of the claim is %q)",
			want, annotationStorageProvisioner, asked)
	}
	return ""
}

// doubtBinding refuses a volume that the PersistentVolume controller chose: the controller marks volumes that were not
// reserved for this claim before (GetBindVolumeToClaim of k8s.io/component-helpers/storage/volume). A provisioner sets
// claimRef itself. In-tree drivers that are not migrated to CSI get the mark as well, and are refused.
func doubtBinding(e volumeEvidence) string {
	if _, found := e.volume.Annotations[annotationBoundByController]; found {
		return fmt.Sprintf("existed already, and Kubernetes chose it for the claim (%s)", annotationBoundByController)
	}
	return ""
}

// doubtClaimRef requires that the volume names this very claim, and not an earlier one with the same name:
// provisionClaimOperation sets claimRef with the UID.
func doubtClaimRef(e volumeEvidence) string {
	ref := e.volume.Spec.ClaimRef
	if ref == nil || ref.Namespace != e.claim.Namespace || ref.Name != e.claim.Name || ref.UID != e.claim.UID {
		return fmt.Sprintf("is not claimed by claim %s with UID %s", e.claim.Name, e.claim.UID)
	}
	return ""
}

// doubtAge requires that the volume is not older than the claim. The API server sets both times, in whole seconds.
func doubtAge(e volumeEvidence) string {
	if e.volume.CreationTimestamp.Time.Before(e.claim.CreationTimestamp.Time) || e.volume.CreationTimestamp.IsZero() {
		return fmt.Sprintf("is older than the claim (%s, %s)",
			e.volume.CreationTimestamp.UTC(), e.claim.CreationTimestamp.UTC())
	}
	return ""
}

// doubtSource refuses storage that another PersistentVolume names as well: somebody who makes volumes by hand can make
// two for the same storage.
func doubtSource(e volumeEvidence) string {
	i := slices.IndexFunc(e.all, func(other corev1.PersistentVolume) bool {
		return other.UID != e.volume.UID &&
			sameStorage(other.Spec.PersistentVolumeSource, e.volume.Spec.PersistentVolumeSource)
	})
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("is the same storage as PersistentVolume %s", e.all[i].Name)
}

// sameStorage compares what identifies a volume; the attributes of a CSI volume do not.
func sameStorage(a, b corev1.PersistentVolumeSource) bool {
	if a.CSI != nil && b.CSI != nil {
		return a.CSI.Driver == b.CSI.Driver && a.CSI.VolumeHandle == b.CSI.VolumeHandle
	}
	if path := pathOf(a); path != "" {
		return path == pathOf(b)
	}
	return equality.Semantic.DeepEqual(a, b)
}

// pathOf is the path of a local volume on its node, empty for other volumes.
func pathOf(source corev1.PersistentVolumeSource) string {
	switch {
	case source.Local != nil:
		return source.Local.Path
	case source.HostPath != nil:
		return source.HostPath.Path
	}
	return ""
}

// exceeds says that a volume is larger than policies allow, as the rest of a sentence that begins with its name; empty
// if it fits.
func exceeds(volume *corev1.PersistentVolume, room resource.Quantity) string {
	capacity := volume.Spec.Capacity[corev1.ResourceStorage]
	if capacity.Cmp(room) <= 0 {
		return ""
	}
	return fmt.Sprintf("has %s, but policies allow volumes of StorageClass %s only %s: claim less, or ask the storage "+
		"administrator for a larger totalSize", capacity.String(), volume.Spec.StorageClassName, room.String())
}

// hasProvisioner says whether a class makes volumes.
func hasProvisioner(class *storagev1.StorageClass) bool {
	return class.Provisioner != "" && class.Provisioner != noProvisioner
}
