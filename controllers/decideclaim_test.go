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
	"zfsbench.io/operator/internal/jobspec"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// made is what there is of a claim once everything runs.
func made(trial string) claimView {
	meta := metav1.ObjectMeta{Name: "zb-1", Labels: map[string]string{jobspec.LabelTrial: trial}}
	return claimView{
		class:      &storagev1.StorageClass{ObjectMeta: meta},
		pvc:        &corev1.PersistentVolumeClaim{ObjectMeta: meta, Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound}},
		pod:        &corev1.Pod{ObjectMeta: meta, Status: corev1.PodStatus{Phase: corev1.PodRunning}},
		volume:     &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pvc-1"}},
		zfsVolumes: []string{"ZFSVolume pvc-1 is Ready"}, poolListed: true,
		facts: result.ClaimFacts{Dataset: "pool/bench/pvc-1"},
	}
}

func TestDecideClaim(t *testing.T) {
	own := plan.Variant{Dataset: v1alpha1.DatasetSpec{Type: v1alpha1.DatasetPersistentVolume, PersistentVolume: &v1alpha1.PersistentVolumeSpec{Size: resource.MustParse("1Gi"), FSType: "ext4"}}}
	foreign := plan.Variant{Baseline: &v1alpha1.Baseline{PersistentVolume: &v1alpha1.PersistentVolumeBaseline{StorageClassName: "fast", Size: resource.MustParse("1Gi")}}}
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
		"no pool yet":  {own, "2", func(v *claimView) { *v = claimView{} }, result.ClaimPresent, "", "", "does not list it", false},
		"nothing yet":  {own, "2", nothing, result.ClaimPresent, "StorageClass", "", "", false},
		"no claim":     {own, "2", func(v *claimView) { v.pvc, v.pod, v.volume = nil, nil, nil }, result.ClaimPresent, "PersistentVolumeClaim", "", "", false},
		"not bound": {own, "2", func(v *claimView) {
			v.pod, v.pvc.Status.Phase, v.trouble = nil, corev1.ClaimPending, "ProvisioningFailed: no space"
		}, result.ClaimPresent, "", "", "ProvisioningFailed: no space", false},
		"no pod":                {own, "2", func(v *claimView) { v.pod = nil }, result.ClaimPresent, "Pod", "", "", false},
		"no pod, pool is back":  {own, "2", func(v *claimView) { v.pod, v.poolListed = nil, false }, result.ClaimPresent, "Pod", "", "", false},
		"a pod that waits":      {own, "2", func(v *claimView) { v.pod.Status.Phase, v.trouble = corev1.PodPending, "FailedMount: not ready" }, result.ClaimPresent, "", "", "FailedMount: not ready", false},
		"a pod that ended":      {own, "2", func(v *claimView) { v.pod.Status.Phase = corev1.PodFailed }, result.ClaimPresent, "", "pod", "made anew", false},
		"a pod that goes":       {own, "2", func(v *claimView) { v.pod.DeletionTimestamp = &metav1.Time{} }, result.ClaimPresent, "", "", "to be gone", false},
		"of another trial":      {own, "1", none, result.ClaimPresent, "", "pod", "", false},
		"a class of another":    {own, "1", func(v *claimView) { *v = claimView{class: v.class} }, result.ClaimPresent, "", "class", "", false},
		"with a pod":            {own, "2", none, result.ClaimDetached, "", "pod", "", false},
		"detached":              {own, "2", func(v *claimView) { v.pod = nil }, result.ClaimDetached, "", "", "", true},
		"nothing to detach":     {own, "2", nothing, result.ClaimDetached, "", "", "somebody has removed it", false},
		"the pod first":         {own, "2", none, result.ClaimAbsent, "", "pod", "", false},
		"then the claim":        {own, "2", func(v *claimView) { v.pod = nil }, result.ClaimAbsent, "", "claim", "", false},
		"then the volume":       {own, "2", func(v *claimView) { v.pod, v.pvc = nil, nil }, result.ClaimAbsent, "", "", "PersistentVolume pvc-1", false},
		"then the driver's":     {own, "2", func(v *claimView) { v.pod, v.pvc, v.volume = nil, nil, nil }, result.ClaimAbsent, "", "", "ZFSVolume pvc-1 is Ready", false},
		"then the class":        {own, "2", func(v *claimView) { *v = claimView{class: v.class} }, result.ClaimAbsent, "", "class", "", false},
		"nothing is left":       {own, "2", nothing, result.ClaimAbsent, "", "", "", true},
		"also of another trial": {own, "1", none, result.ClaimAbsent, "", "pod", "", false},

		"an existing class":        {foreign, "2", func(v *claimView) { *v = claimView{} }, result.ClaimPresent, "PersistentVolumeClaim", "", "", false},
		"bound by its first user":  {foreign, "2", func(v *claimView) { v.class, v.pod, v.pvc.Status.Phase = nil, nil, corev1.ClaimPending }, result.ClaimPresent, "Pod", "", "", false},
		"on somebody else's":       {foreign, "2", func(v *claimView) { v.class, v.facts.Dataset, v.zfsVolumes = nil, "", nil }, result.ClaimPresent, "", "", "", true},
		"an existing class, later": {foreign, "2", func(v *claimView) { *v = claimView{} }, result.ClaimAbsent, "", "", "", true},
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
			switch got.remove.(type) {
			case *corev1.Pod:
				removes = "pod"
			case *corev1.PersistentVolumeClaim:
				removes = "claim"
			case *storagev1.StorageClass:
				removes = "class"
			}
			if creates != tt.creates || removes != tt.removes || got.ready != tt.ready || !strings.Contains(got.message, tt.says) {
				t.Errorf("creates %q, removes %q, ready %v, says %q; want %q, %q, %v, %q", creates, removes, got.ready, got.message, tt.creates, tt.removes, tt.ready, tt.says)
			}
		})
	}
}
