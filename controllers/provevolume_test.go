// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// proven is the evidence of a volume that a CSI driver has made for the claim.
func proven() volumeEvidence {
	const driver = "csi.example.com"
	claimed := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	csi := func(handle string) corev1.PersistentVolumeSource {
		return corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: handle}}
	}
	e := volumeEvidence{
		class: &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "fast"}, Provisioner: driver},
		claim: &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: "zfsbench-claims", Name: "zb-1", UID: "c1", CreationTimestamp: metav1.NewTime(claimed),
				Annotations: map[string]string{annotationStorageProvisioner: driver},
			},
			Spec: corev1.PersistentVolumeClaimSpec{VolumeName: "pvc-c1"},
		},
		volume: &corev1.PersistentVolume{
			ObjectMeta: metav1.ObjectMeta{
				Name: "pvc-c1", UID: "v1", CreationTimestamp: metav1.NewTime(claimed),
				Annotations: map[string]string{annotationProvisionedBy: driver},
			},
			Spec: corev1.PersistentVolumeSpec{
				StorageClassName: "fast", PersistentVolumeSource: csi("h1"),
				PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
				Capacity:                      corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
				ClaimRef:                      &corev1.ObjectReference{Namespace: "zfsbench-claims", Name: "zb-1", UID: "c1"},
			},
		},
	}
	other := corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "theirs", UID: "v2"}}
	other.Spec.PersistentVolumeSource = csi("h2")
	e.all = []corev1.PersistentVolume{*e.volume.DeepCopy(), other}
	return e
}

// Consent to a class is consent to new volumes of it: each sign that the volume is not new refuses it, all others being
// there.
func TestVolumeWasMadeForTheClaim(t *testing.T) {
	onPath := func(path string) corev1.PersistentVolumeSource {
		return corev1.PersistentVolumeSource{Local: &corev1.LocalVolumeSource{Path: path}}
	}
	tests := map[string]struct {
		change func(*volumeEvidence)
		// want is part of the doubt, empty for none.
		want string
	}{
		"made for it": {func(*volumeEvidence) {}, ""},
		"made a second later": {func(e *volumeEvidence) {
			e.volume.CreationTimestamp.Time = e.volume.CreationTimestamp.Add(time.Second)
		}, ""},
		"the class is gone":    {func(e *volumeEvidence) { e.class = nil }, "no longer exists"},
		"no provisioner":       {func(e *volumeEvidence) { e.class.Provisioner = noProvisioner }, "makes no volumes"},
		"an empty provisioner": {func(e *volumeEvidence) { e.class.Provisioner = "" }, "makes no volumes"},
		"of another class":     {func(e *volumeEvidence) { e.volume.Spec.StorageClassName = "slow" }, "is of StorageClass"},
		"made by nobody":       {func(e *volumeEvidence) { e.volume.Annotations = nil }, "was not made by csi.example.com"},
		"made by another": {func(e *volumeEvidence) {
			e.volume.Annotations[annotationProvisionedBy] = "x"
		}, "was not made by"},
		"made for nobody": {func(e *volumeEvidence) { e.claim.Annotations = nil }, "existed before anybody asked"},
		"made for another claim": {func(e *volumeEvidence) {
			e.claim.Annotations[annotationStorageProvisioner] = "x"
		}, "existed before"},
		"chosen by Kubernetes": {func(e *volumeEvidence) {
			e.volume.Annotations[annotationBoundByController] = "yes"
		}, "Kubernetes chose it"},
		"chosen, with no value": {func(e *volumeEvidence) {
			e.volume.Annotations[annotationBoundByController] = ""
		}, "Kubernetes chose it"},
		"older than the claim": {func(e *volumeEvidence) {
			e.volume.CreationTimestamp.Time = e.volume.CreationTimestamp.Add(-time.Second)
		}, "is older"},
		"no time":               {func(e *volumeEvidence) { e.volume.CreationTimestamp = metav1.Time{} }, "is older"},
		"claimed by nobody":     {func(e *volumeEvidence) { e.volume.Spec.ClaimRef = nil }, "is not claimed by claim zb-1"},
		"an earlier claim":      {func(e *volumeEvidence) { e.volume.Spec.ClaimRef.UID = "c0" }, "is not claimed by"},
		"reserved by name only": {func(e *volumeEvidence) { e.volume.Spec.ClaimRef.UID = "" }, "is not claimed by"},
		"another claim":         {func(e *volumeEvidence) { e.volume.Spec.ClaimRef.Name = "zb-2" }, "is not claimed by"},
		"another namespace": {func(e *volumeEvidence) {
			e.volume.Spec.ClaimRef.Namespace = "default"
		}, "is not claimed by"},
		"the handle of another": {func(e *volumeEvidence) {
			e.all[1].Spec.CSI.VolumeHandle = "h1"
		}, "same storage as PersistentVolume theirs"},
		"another driver's handle": {func(e *volumeEvidence) {
			e.all[1].Spec.CSI.VolumeHandle, e.all[1].Spec.CSI.Driver = "h1", "other.example.com"
		}, ""},
		"the path of another": {func(e *volumeEvidence) {
			e.volume.Spec.PersistentVolumeSource = onPath("/mnt/disk")
			e.all[1].Spec.PersistentVolumeSource =
				corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/mnt/disk"}}
		}, "same storage as"},
		"a path of its own": {func(e *volumeEvidence) {
			e.volume.Spec.PersistentVolumeSource, e.all[1].Spec.PersistentVolumeSource = onPath("/mnt/a"), onPath("/mnt/b")
		}, ""},
		"the export of another": {func(e *volumeEvidence) {
			e.volume.Spec.PersistentVolumeSource = corev1.PersistentVolumeSource{NFS: &corev1.NFSVolumeSource{Server: "s",
				Path: "/e"}}
			e.all[1].Spec.PersistentVolumeSource = corev1.PersistentVolumeSource{NFS: &corev1.NFSVolumeSource{Server: "s",
				Path: "/e"}}
		}, "same storage as"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := proven()
			tt.change(&e)
			if got := e.doubt(); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("doubt %q, want %q", got, tt.want)
			}
		})
	}
}

func TestVolumeFitsThePolicy(t *testing.T) {
	volume := proven().volume
	for room, want := range map[string]string{"1Gi": "", "2Gi": "", "1023Mi": "has 1Gi, but policies allow",
		"0": "has 1Gi"} {
		if got := exceeds(volume, resource.MustParse(room)); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("room %s: %q, want %q", room, got, want)
		}
	}
}
