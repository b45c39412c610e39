// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
)

// corpusPollInterval is how often the manager checks whether a missing claim with data exists now: claims are not
// watched.
const corpusPollInterval = 30 * time.Second

// loadCorpora reads the claims with a benchmark's data, for nodes on which it has not started. A missing claim is nil.
func (r *Reconciler) loadCorpora(ctx context.Context, s *scope, names []string) error {
	if len(names) == 0 {
		return nil
	}
	s.corpora = map[string]*corev1.PersistentVolumeClaim{}
	for _, name := range plan.CorpusClaimsOf(s.benchmark.Spec.Workloads) {
		claim := &corev1.PersistentVolumeClaim{}
		found, err := r.find(ctx, client.ObjectKey{Namespace: r.Config.RunnerNamespace, Name: name}, claim)
		if err != nil {
			return fmt.Errorf("get PersistentVolumeClaim %s: %w", name, err)
		}
		if found {
			s.corpora[name] = claim
		}
	}
	return nil
}

// refuseCorpora returns what is wrong with the claims with data, or nil. The benchmark already has the consent to read
// them. Only the node can find out whether it can mount the volume.
func (r *Reconciler) refuseCorpora(s *scope) *refusal {
	for i, w := range s.benchmark.Spec.Workloads {
		name := w.CorpusClaim()
		if name == "" {
			continue
		}
		if text := corpusProblem(name, r.Config.RunnerNamespace, s.corpora[name]); text != "" {
			s.requeueWithin(corpusPollInterval)
			return &refusal{reason: v1alpha1.ReasonClaimNotReady,
				message: fmt.Sprintf("spec.workloads[%d].corpus.persistentVolumeClaim.claimName: %s", i, text)}
		}
	}
	return nil
}

// corpusProblem says why no files can be read from a claim; empty if no reason is known. An unbound claim is fine: it
// may wait for its first pod.
func corpusProblem(name, namespace string, claim *corev1.PersistentVolumeClaim) string {
	switch {
	case claim == nil:
		return fmt.Sprintf("there is no PersistentVolumeClaim %s in the runners' namespace, %s: create it there, with "+
			"the data, or name another one.", name, namespace)
	case claim.DeletionTimestamp != nil:
		return fmt.Sprintf("PersistentVolumeClaim %s in namespace %s is being deleted: wait for a new one, or name another "+
			"one.", name, namespace)
	case ptr.Deref(claim.Spec.VolumeMode, corev1.PersistentVolumeFilesystem) != corev1.PersistentVolumeFilesystem:
		return fmt.Sprintf("PersistentVolumeClaim %s in namespace %s is a block device (volumeMode %s), and a corpus is "+
			"copied from files: name a claim with volumeMode Filesystem.", name, namespace, *claim.Spec.VolumeMode)
	case claim.Status.Phase == corev1.ClaimLost:
		return fmt.Sprintf("PersistentVolumeClaim %s in namespace %s has lost its volume %s: restore it, or name another "+
			"claim.", name, namespace, claim.Spec.VolumeName)
	}
	return ""
}
