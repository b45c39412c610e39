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
	// noProvisioner is the provisioner of a class whose volumes somebody makes by hand.
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
// was. No sign is enough by itself: static provisioners write provisioned-by as well, and after binding claimRef has
// the claim's UID on every volume.
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

// doubtClass wants a class that makes volumes. Its name is on every volume that is made for it: provisionClaimOperation
// of sig-storage-lib-external-provisioner (controller/controller.go) sets it.
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

// doubtProvisioner wants two marks that agree with the class. The PersistentVolume controller puts storage-provisioner
// on a claim only when it finds no volume for it (setClaimProvisioner, called by provisionClaim, in
// k8s.io/kubernetes/pkg/controller/volume/persistentvolume); the provisioner puts provisioned-by on the volume that it
// makes (provisionClaimOperation). A class of an in-tree driver that is migrated to CSI has two names, and is refused.
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

// doubtBinding refuses a volume that the PersistentVolume controller chose: it marks those that were not for this claim
// before (GetBindVolumeToClaim of k8s.io/component-helpers/storage/volume). A provisioner sets claimRef itself. In-tree
// drivers that are not migrated to CSI mark theirs as well, and are refused.
func doubtBinding(e volumeEvidence) string {
	if _, found := e.volume.Annotations[annotationBoundByController]; found {
		return fmt.Sprintf("existed already, and Kubernetes chose it for the claim (%s)", annotationBoundByController)
	}
	return ""
}

// doubtClaimRef wants the claim itself, not an earlier one of its name: provisionClaimOperation sets claimRef with the
// UID.
func doubtClaimRef(e volumeEvidence) string {
	ref := e.volume.Spec.ClaimRef
	if ref == nil || ref.Namespace != e.claim.Namespace || ref.Name != e.claim.Name || ref.UID != e.claim.UID {
		return fmt.Sprintf("is not claimed by claim %s with UID %s", e.claim.Name, e.claim.UID)
	}
	return ""
}

// doubtAge wants a volume that is not older than the claim. The API server sets both times, in whole seconds.
func doubtAge(e volumeEvidence) string {
	if e.volume.CreationTimestamp.Time.Before(e.claim.CreationTimestamp.Time) || e.volume.CreationTimestamp.IsZero() {
		return fmt.Sprintf("is older than the claim (%s, %s)",
			e.volume.CreationTimestamp.UTC(), e.claim.CreationTimestamp.UTC())
	}
	return ""
}

// doubtSource refuses storage that another PersistentVolume names as well: whoever makes volumes by hand can make two
// of one.
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

// pathOf is where a local volume is on its node, empty for others.
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
