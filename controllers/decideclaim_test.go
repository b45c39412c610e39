// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/config"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// made is what there is of a claim once everything runs.
func made(trial string) claimView {
	meta := metav1.ObjectMeta{Name: "zb-1", Labels: map[string]string{jobspec.LabelTrial: trial}}
	return claimView{
		class: &storagev1.StorageClass{ObjectMeta: meta},
		pvc: &corev1.PersistentVolumeClaim{ObjectMeta: meta,
			Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound}},
		pod:        &corev1.Pod{ObjectMeta: meta, Status: corev1.PodStatus{Phase: corev1.PodRunning}},
		volume:     &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pvc-1"}},
		zfsVolumes: []string{"ZFSVolume pvc-1 is Ready"}, poolListed: true,
		facts: result.ClaimFacts{Dataset: "pool/bench/pvc-1"},
	}
}

// bound is a claim to somebody else's class with a proved volume, without a pod.
func bound(change func(*claimView)) claimView {
	e := proven()
	e.claim.Labels = map[string]string{jobspec.LabelTrial: "2"}
	e.claim.Status.Phase = corev1.ClaimBound
	v := claimView{existing: e.class, pvc: e.claim, volume: e.volume, evidence: &e, room: resource.MustParse("1Gi")}
	change(&v)
	return v
}

func doubtful(v *claimView) { v.volume.Annotations[annotationBoundByController] = "yes" }

func retain(v *claimView) {
	v.volume.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimRetain
}

// A runner that was told of a pod gets no other: it measures on that one's mount.
func TestDecideHeld(t *testing.T) {
	tests := map[string]struct {
		change func(*claimView)
		want   string
	}{
		"as it was": {func(*claimView) {}, ""},
		"deleted":   {func(v *claimView) { v.pod = nil }, "was deleted"},
		"going":     {func(v *claimView) { v.pod.DeletionTimestamp = &metav1.Time{} }, "ended while"},
		"evicted": {func(v *claimView) {
			v.pod.Status.Phase, v.pod.Status.Message = corev1.PodFailed, "low on memory"
		}, "low on memory"},
		"replaced": {func(v *claimView) { v.pod.UID = "p2" }, "was replaced"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			v := made("2")
			v.pod.UID = "p1"
			tt.change(&v)
			got := decideHeld(v, "p1")
			if got.ready != (tt.want == "") || got.refused == got.ready || !strings.Contains(got.message, tt.want) ||
				len(got.create) > 0 {
				t.Errorf("step %+v, want %q", got, tt.want)
			}
		})
	}
}

// Only a claim to a class that waits for a first consumer names the node itself.
func TestClaimNamesTheNode(t *testing.T) {
	foreign := plan.Variant{Baseline: &v1alpha1.Baseline{PersistentVolume: &v1alpha1.PersistentVolumeBaseline{
		StorageClassName: "fast", Size: resource.MustParse("1Gi"),
	}}}
	for _, mode := range []storagev1.VolumeBindingMode{storagev1.VolumeBindingImmediate,
		storagev1.VolumeBindingWaitForFirstConsumer} {
		c := jobspec.Claim{Variant: foreign, Trial: 2}
		c.Run.Plan.Node.Name = "storage-0"
		class := proven().class
		class.VolumeBindingMode = &mode
		step := decideClaim(c, claimView{existing: class}, result.ClaimPresent, config.Runner{})
		want := ""
		if mode == storagev1.VolumeBindingWaitForFirstConsumer {
			want = "storage-0"
		}
		if got := step.create[0].GetAnnotations()["volume.kubernetes.io/selected-node"]; got != want {
			t.Errorf("%s: selected node %q, want %q", mode, got, want)
		}
	}
}

func TestDecideClaim(t *testing.T) {
	own := plan.Variant{Dataset: v1alpha1.DatasetSpec{Type: v1alpha1.DatasetPersistentVolume,
		PersistentVolume: &v1alpha1.PersistentVolumeSpec{Size: resource.MustParse("1Gi"), FSType: "ext4"}}}
	foreign := plan.Variant{Baseline: &v1alpha1.Baseline{PersistentVolume: &v1alpha1.PersistentVolumeBaseline{
		StorageClassName: "fast", Size: resource.MustParse("1Gi"),
	}}}
	none := func(*claimView) {}
	nothing := func(v *claimView) { *v = claimView{poolListed: v.poolListed} }
	tests := map[string]struct {
		variant plan.Variant
		trial   string
		change  func(*claimView)
		want    string
		// creates and removes are kinds; says is part of the message, ready that it is so.
		creates, removes, says string
		ready                  bool
	}{
		"all is there": {own, "2", none, result.ClaimPresent, "", "", "", true},
		"no pool yet": {own, "2", func(v *claimView) {
			*v = claimView{}
		}, result.ClaimPresent, "", "", "does not list the pool yet", false},
		"nothing yet": {own, "2", nothing, result.ClaimPresent, "StorageClass", "", "", false},
		"no claim": {own, "2", func(v *claimView) {
			v.pvc, v.pod, v.volume = nil, nil, nil
		}, result.ClaimPresent, "PersistentVolumeClaim", "", "", false},
		"not bound": {own, "2", func(v *claimView) {
			v.pod, v.pvc.Status.Phase, v.warning = nil, corev1.ClaimPending, "ProvisioningFailed: no space"
		}, result.ClaimPresent, "", "", "ProvisioningFailed: no space", false},
		"no pod": {own, "2", func(v *claimView) { v.pod = nil }, result.ClaimPresent, "Pod", "", "", false},
		"no pod, pool is back": {own, "2", func(v *claimView) {
			v.pod, v.poolListed = nil, false
		}, result.ClaimPresent, "Pod", "", "", false},
		"a pod that waits": {own, "2", func(v *claimView) {
			v.pod.Status.Phase, v.warning = corev1.PodPending, "FailedMount: not ready"
		}, result.ClaimPresent, "", "", "FailedMount: not ready", false},
		"a pod that ended": {own, "2", func(v *claimView) {
			v.pod.Status.Phase = corev1.PodFailed
		}, result.ClaimPresent, "", "pod", "created again", false},
		"a pod that goes": {own, "2", func(v *claimView) {
			v.pod.DeletionTimestamp = &metav1.Time{}
		}, result.ClaimPresent, "", "", "to be gone", false},
		"of another trial": {own, "1", none, result.ClaimPresent, "", "pod", "", false},
		"a class of another": {own, "1", func(v *claimView) {
			*v = claimView{class: v.class}
		}, result.ClaimPresent, "", "class", "", false},
		"with a pod":        {own, "2", none, result.ClaimDetached, "", "pod", "", false},
		"detached":          {own, "2", func(v *claimView) { v.pod = nil }, result.ClaimDetached, "", "", "", true},
		"nothing to detach": {own, "2", nothing, result.ClaimDetached, "", "", "somebody has removed it", false},
		"the pod first":     {own, "2", none, result.ClaimAbsent, "", "pod", "", false},
		"then the claim":    {own, "2", func(v *claimView) { v.pod = nil }, result.ClaimAbsent, "", "claim", "", false},
		"then the volume": {own, "2", func(v *claimView) {
			v.pod, v.pvc = nil, nil
		}, result.ClaimAbsent, "", "", "PersistentVolume pvc-1", false},
		"then the driver's": {own, "2", func(v *claimView) {
			v.pod, v.pvc, v.volume = nil, nil, nil
		}, result.ClaimAbsent, "", "", "ZFSVolume pvc-1 is Ready", false},
		"then the class": {own, "2", func(v *claimView) {
			*v = claimView{class: v.class}
		}, result.ClaimAbsent, "", "class", "", false},
		"nothing is left":       {own, "2", nothing, result.ClaimAbsent, "", "", "", true},
		"also of another trial": {own, "1", none, result.ClaimAbsent, "", "pod", "", false},

		"an existing class": {foreign, "2", func(v *claimView) {
			*v = claimView{existing: proven().class}
		}, result.ClaimPresent, "PersistentVolumeClaim", "", "", false},
		"not bound, no pod yet": {foreign, "2", func(v *claimView) {
			*v = bound(func(v *claimView) { v.pvc.Status.Phase = corev1.ClaimPending })
		}, result.ClaimPresent, "", "", "to be bound", false},
		"bound, not looked at": {foreign, "2", func(v *claimView) {
			*v = bound(func(v *claimView) { v.evidence = nil })
		}, result.ClaimPresent, "", "", "to be bound", false},
		"proved": {foreign, "2", func(v *claimView) {
			*v = bound(none)
		}, result.ClaimPresent, "Pod", "", "", false},
		"not proved": {foreign, "2", func(v *claimView) {
			*v = bound(doubtful)
		}, result.ClaimPresent, "", "", "PersistentVolume pvc-c1, bound to claim", false},
		"too large": {foreign, "2", func(v *claimView) {
			*v = bound(func(v *claimView) { v.room = resource.MustParse("1Mi") })
		}, result.ClaimPresent, "", "", "larger totalSize", false},
		"its class is gone": {foreign, "2", func(v *claimView) {
			*v = bound(func(v *claimView) { v.existing = nil })
		}, result.ClaimPresent, "", "", "there is no StorageClass fast", false},
		"its class changed": {foreign, "2", func(v *claimView) {
			*v = bound(func(v *claimView) { v.existing.Provisioner = noProvisioner })
		}, result.ClaimPresent, "", "", "makes no volumes", false},
		"proved, goes": {foreign, "2", func(v *claimView) {
			*v = bound(none)
		}, result.ClaimAbsent, "", "claim", "", false},
		"not proved, is kept": {foreign, "2", func(v *claimView) {
			*v = bound(doubtful)
		}, result.ClaimAbsent, "", "keeps", "reclaimPolicy becomes Retain", false},
		"not proved, kept, goes": {foreign, "2", func(v *claimView) {
			*v = bound(doubtful)
			retain(v)
		}, result.ClaimAbsent, "", "claim", "", false},
		"holds data, is kept": {foreign, "2", func(v *claimView) {
			*v = bound(none)
		}, result.ClaimKept, "", "keeps", "may hold data", false},
		"holds data, kept, goes": {foreign, "2", func(v *claimView) {
			*v = bound(none)
			retain(v)
		}, result.ClaimKept, "", "claim", "", false},
		"kept, without its claim": {foreign, "2", func(v *claimView) {
			*v = bound(none)
			retain(v)
			v.pvc = nil
		}, result.ClaimAbsent, "", "", "PersistentVolume pvc-c1 is kept", true},
		"a volume that hangs": {foreign, "2", func(v *claimView) {
			*v = bound(none)
			v.pvc, v.volume.Status.Phase = nil, corev1.VolumeFailed
		}, result.ClaimAbsent, "", "", "Waiting for PersistentVolume pvc-c1 to be removed by its driver. It is Failed",
			false},
		"of another trial, kept": {foreign, "1", func(v *claimView) {
			*v = bound(doubtful)
			v.pvc.Labels = map[string]string{jobspec.LabelTrial: "1"}
		}, result.ClaimPresent, "", "keeps", "", false},
		"unbound, nothing names it": {foreign, "2", func(v *claimView) {
			*v = bound(func(v *claimView) { v.volume, v.evidence.volume = nil, nil })
		}, result.ClaimAbsent, "", "claim", "", false},
		"on somebody else's": {foreign, "2", func(v *claimView) {
			v.class, v.facts.Dataset, v.zfsVolumes = nil, "", nil
		}, result.ClaimPresent, "", "", "", true},
		"an existing class, later": {foreign, "2", func(v *claimView) {
			*v = claimView{}
		}, result.ClaimAbsent, "", "", "", true},

		"kept before its pod goes": {
			foreign, "2", func(v *claimView) {
				*v = bound(none)
				v.pod = made("2").pod
			}, result.ClaimKept, "", "keeps", "", false,
		},
		"kept, its pod goes": {
			foreign, "2", func(v *claimView) {
				*v = bound(retain)
				v.pod = made("2").pod
			}, result.ClaimKept, "", "pod", "", false,
		},
		"kept, its claim is going": {
			foreign, "2", func(v *claimView) { *v = bound(none); v.pvc.DeletionTimestamp = &metav1.Time{} },
			result.ClaimKept, "", "keeps", "", false,
		},
		"kept, its claim is gone": {
			foreign, "2", func(v *claimView) { *v = bound(none); v.pvc = nil }, result.ClaimKept, "", "keeps", "", false,
		},
		"nothing to keep": {
			foreign, "2", func(v *claimView) { *v = bound(func(v *claimView) { v.volume, v.evidence.volume = nil, nil }) },
			result.ClaimKept, "", "claim", "", false,
		},
		"no claim, nothing to keep": {
			foreign, "2", func(v *claimView) { *v = claimView{existing: proven().class} }, result.ClaimKept, "", "", "", true,
		},
		"proved, of another trial": {
			foreign, "2", func(v *claimView) { *v = bound(none); v.pvc.Labels[jobspec.LabelTrial] = "1" },
			result.ClaimPresent, "", "keeps", "", false,
		},
		"detached, its claim is gone": {
			foreign, "2", func(v *claimView) { *v = claimView{existing: proven().class, detached: true} },
			result.ClaimPresent, "", "", "Somebody has removed claim", false,
		},
		"the benchmark's own": {own, "2", func(v *claimView) { v.pod = nil }, result.ClaimKept, "", "claim", "", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			v := made(tt.trial)
			tt.change(&v)
			got := decideClaim(jobspec.Claim{Variant: tt.variant, Trial: 2}, v, tt.want, config.Runner{Image: "a"})
			creates := ""
			for _, object := range got.create {
				creates += object.GetObjectKind().GroupVersionKind().Kind
			}
			removes := ""
			if got.keep != nil {
				removes = "keeps"
			}
			switch got.remove.(type) {
			case *corev1.Pod:
				removes = "pod"
			case *corev1.PersistentVolumeClaim:
				removes = "claim"
			case *storagev1.StorageClass:
				removes = "class"
			}
			if creates != tt.creates || removes != tt.removes || got.ready != tt.ready ||
				!strings.Contains(got.message, tt.says) {
				t.Errorf("creates %q, removes %q, ready %v, says %q; want %q, %q, %v, %q",
					creates, removes, got.ready, got.message, tt.creates, tt.removes, tt.ready, tt.says)
			}
		})
	}
}
