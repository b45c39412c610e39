// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
)

// isKept says that Kubernetes retains the volume when its claim is deleted.
func isKept(volume *corev1.PersistentVolume) bool {
	return volume.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimRetain
}

// keepVolume makes Kubernetes retain a volume when its claim is deleted, reads the volume back to check that, and
// reports it. why is the reason, as the rest of a sentence that begins with the volume's name.
func (r *Reconciler) keepVolume(ctx context.Context, s *scope, volume *corev1.PersistentVolume, why string) error {
	const change = `{"metadata":{"uid":%q,"resourceVersion":%q},"spec":{"persistentVolumeReclaimPolicy":"Retain"}}`
	patch := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, change, volume.UID, volume.ResourceVersion))
	if err := r.Patch(ctx, volume.DeepCopy(), patch, client.FieldOwner(jobspec.FieldOwner)); err != nil {
		return fmt.Errorf("set reclaimPolicy Retain of PersistentVolume %s, before its claim is deleted: %w",
			volume.Name, err)
	}
	now := &corev1.PersistentVolume{}
	if err := r.APIReader.Get(ctx, client.ObjectKeyFromObject(volume), now); err != nil {
		return fmt.Errorf("read PersistentVolume %s back: %w", volume.Name, err)
	}
	if now.UID != volume.UID || !isKept(now) {
		return fmt.Errorf("PersistentVolume %s still has reclaimPolicy %s, so its claim stays",
			volume.Name, now.Spec.PersistentVolumeReclaimPolicy)
	}
	s.addEvents(s.nodeOfClaim(now.Spec.ClaimRef), keptVolume(volume, why))
	return nil
}

// nodeOfClaim is the node that a claim was made for; the benchmark's first one if that is not known.
func (s *scope) nodeOfClaim(claim *corev1.ObjectReference) string {
	for _, n := range s.runs {
		if claim != nil && n.run != nil && n.run.Base() == claim.Name {
			return n.name
		}
	}
	if len(s.runs) == 0 {
		return ""
	}
	return s.runs[0].name
}

// keptVolume says which volume stays, why, and what to do with it.
func keptVolume(volume *corev1.PersistentVolume, why string) notice {
	note := fmt.Sprintf("PersistentVolume %s of StorageClass %s is kept (reclaimPolicy Retain): it %s. "+
		"Find out whose it is. If nobody needs it, `kubectl patch persistentvolume %s -p "+
		`'{"spec":{"persistentVolumeReclaimPolicy":"Delete"}}'`+"` removes it with its storage.",
		volume.Name, volume.Spec.StorageClassName, why, volume.Name)
	return notice{kind: corev1.EventTypeWarning, reason: v1alpha1.ReasonVolumeKept, action: "Release", note: note}
}
