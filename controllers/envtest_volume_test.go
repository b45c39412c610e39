// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/config"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// bindForeign plays the provisioner of somebody else's class and the PersistentVolume controller: it makes a volume for
// a claim, changed by the function if there is one, and binds them.
func (p *play) bindForeign(
	pvc *corev1.PersistentVolumeClaim, change func(*corev1.PersistentVolume),
) *corev1.PersistentVolume {
	p.t.Helper()
	const driver = "other.example.com"
	pvc.Annotations[annotationStorageProvisioner] = driver
	volume := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "pvc-" + string(pvc.UID),
			Annotations: map[string]string{annotationProvisionedBy: driver}},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: pvc.Spec.Resources.Requests, AccessModes: pvc.Spec.AccessModes,
			StorageClassName:              *pvc.Spec.StorageClassName,
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
			ClaimRef: &corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim",
				Namespace: pvc.Namespace, Name: pvc.Name, UID: pvc.UID},
			PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: driver,
				VolumeHandle: string(pvc.UID)}},
		},
	}
	if change != nil {
		change(volume)
	}
	p.must(p.Create(p.t.Context(), volume))
	pvc.Spec.VolumeName = volume.Name
	p.must(p.Update(p.t.Context(), pvc))
	pvc.Status.Phase = corev1.ClaimBound
	p.must(p.Status().Update(p.t.Context(), pvc))
	return volume
}

// onClass starts a benchmark of a volume of somebody else's class, and asks for it.
func (p *play) onClass() (*runner, int, *corev1.PersistentVolumeClaim) {
	p.t.Helper()
	node := p.node("storage-0", nil)
	p.allowClass(p.policy(node), p.class(p.namespace).Name, "1Gi")
	r := p.runner(p.create(MakeBenchmark(p.namespace, "class").Node(node.Name).OnClass(p.namespace, "1Gi").Obj()),
		"storage-0")
	trial := slices.IndexFunc(r.run.Plan.Trials, func(t plan.Trial) bool { return t.Variant == "other" })
	r.askAbout(trial, result.ClaimPresent)
	pvc := &corev1.PersistentVolumeClaim{}
	r.waitMade(config.DefaultClaimNamespace, pvc)
	return r, trial, pvc
}

// Consent to a class is consent to new volumes of it: an older volume gets no pod, and stays when its claim goes.
func TestVolumeThatIsNotNewStays(t *testing.T) {
	p := newPlay(t)
	r, trial, pvc := p.onClass()
	volume := p.bindForeign(pvc, func(v *corev1.PersistentVolume) { v.Annotations[annotationBoundByController] = "yes" })
	r.answered(result.ClaimPresent, "PersistentVolume "+volume.Name)
	r.mustNotBe(config.DefaultClaimNamespace, &corev1.Pod{})
	r.askAbout(trial, result.ClaimAbsent)
	p.finish(pvc)
	r.answeredReady(result.ClaimAbsent)
	now := &corev1.PersistentVolume{}
	p.must(p.Get(t.Context(), client.ObjectKeyFromObject(volume), now))
	if now.UID != volume.UID || now.DeletionTimestamp != nil || !isKept(now) {
		t.Errorf("volume %+v", now)
	}
}

// answeredReady waits for an answer that is ready, whatever it says.
func (r *runner) answeredReady(want string) {
	r.t.Helper()
	eventually(r.t, func() error {
		answer, err := r.lastAnswer()
		if err == nil && (answer.Request.Want != want || !answer.Ready) {
			err = fmt.Errorf("the answer is %+v", answer)
		}
		return err
	})
}

// Where the volume cannot be kept, its claim stays.
func TestClaimStaysWhereItsVolumeCannotBeKept(t *testing.T) {
	p := newPlay(t)
	r, trial, pvc := p.onClass()
	// Admission refuses: the volume says that it is another namespace's.
	volume := p.bindForeign(pvc, func(v *corev1.PersistentVolume) { v.Spec.ClaimRef.Namespace = p.namespace })
	r.answered(result.ClaimPresent, "is not claimed by claim")
	r.askAbout(trial, result.ClaimAbsent)
	r.answered(result.ClaimAbsent, "set reclaimPolicy Retain of PersistentVolume "+volume.Name)
	p.must(p.Get(t.Context(), client.ObjectKeyFromObject(pvc), pvc))
	if pvc.DeletionTimestamp != nil {
		t.Error("the claim is being deleted")
	}
}

// What the runner has found data on stays, although it was made for the claim.
func TestVolumeWithDataStays(t *testing.T) {
	p := newPlay(t)
	r, trial, pvc := p.onClass()
	volume := p.bindForeign(pvc, nil)
	r.runHolder()
	r.answered(result.ClaimPresent, "")
	r.askAbout(trial, result.ClaimKept)
	p.finish(pvc)
	r.answeredReady(result.ClaimKept)
	now := &corev1.PersistentVolume{}
	p.must(p.Get(t.Context(), client.ObjectKeyFromObject(volume), now))
	if !isKept(now) {
		t.Errorf("reclaimPolicy %s", now.Spec.PersistentVolumeReclaimPolicy)
	}
}

// A benchmark is deleted before its runner has looked into its volume: nobody knows what is in it, so it stays, and an
// event says so.
func TestVolumeNobodyLookedIntoStays(t *testing.T) {
	p := newPlay(t)
	r, _, pvc := p.onClass()
	volume := p.bindForeign(pvc, nil)
	b := &v1alpha1.ZfsBenchmark{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: "class"}}
	p.must(p.Delete(t.Context(), b))
	r.endDeletion(jobspec.RunJobName(r.run.Base()))
	p.finish(pvc)
	now := &corev1.PersistentVolume{}
	p.must(p.Get(t.Context(), client.ObjectKeyFromObject(volume), now))
	if !isKept(now) {
		t.Errorf("reclaimPolicy %s", now.Spec.PersistentVolumeReclaimPolicy)
	}
	p.waitEvent(b, v1alpha1.ReasonVolumeKept)
	r.collectGarbage()
	p.waitGone(b)
}

// A claim that never got a volume goes when its volume is to stay.
func TestKeptClaimWithoutAVolume(t *testing.T) {
	p := newPlay(t)
	r, trial, pvc := p.onClass()
	r.answered(result.ClaimPresent, "to be bound")
	r.askAbout(trial, result.ClaimKept)
	p.finish(pvc)
	r.answeredReady(result.ClaimKept)
}

// The pod that holds a volume is watched while a runner measures: one that is deleted is not replaced, and the runner
// is told.
func TestHolderIsWatched(t *testing.T) {
	p := newPlay(t)
	r, trial, pvc := p.onClass()
	p.bindForeign(pvc, nil)
	pod := r.runHolder()
	r.answered(result.ClaimPresent, "")
	if requests := pod.Spec.Containers[0].Resources.Requests; requests.Cpu().IsZero() || requests.Memory().IsZero() {
		t.Errorf("requests %v: it would be the first to be evicted", requests)
	}
	p.must(p.Delete(t.Context(), pod, client.GracePeriodSeconds(0)))
	r.answered(result.ClaimPresent, "deleted while it was in use")
	r.mustNotBe(config.DefaultClaimNamespace, &corev1.Pod{})
	r.askAbout(trial, result.ClaimAbsent)
	p.finish(pvc)
}

// Of PersistentVolumes the manager may set one field, of volumes in one namespace.
func TestManagerChangesOneFieldOfVolumes(t *testing.T) {
	p := newPlay(t)
	_, _, pvc := p.onClass()
	volume := p.bindForeign(pvc, nil)
	patch := func(text string) error {
		return p.manager.Patch(t.Context(), volume.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(text)),
			client.DryRunAll)
	}
	eventually(t, func() error { // the policy takes effect a moment after it is there
		if err := patch(`{"metadata":{"labels":{"a":"b"}}}`); !apierrors.IsForbidden(err) {
			return fmt.Errorf("patch = %w, want it forbidden", err)
		}
		return nil
	})
	p.must(patch(`{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}`))
	if err := p.manager.Delete(t.Context(), volume, client.DryRunAll); !apierrors.IsForbidden(err) {
		t.Errorf("delete = %v, want it forbidden", err)
	}
}
