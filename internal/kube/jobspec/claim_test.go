// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
)

func testClaim(v plan.Variant) Claim {
	r := testRun()
	v.Name = "claimed"
	r.Plan.Variants = []plan.Variant{v}
	return Claim{Run: r, Namespace: "zfsbench-claims", Variant: v, Trial: 3, PoolTrial: 2,
		NodeLabels: map[string]string{"openebs.io/nodeid": "id-7"}}
}

func TestGoldenClaims(t *testing.T) {
	own := testClaim(plan.Variant{Dataset: v1alpha1.DatasetSpec{
		Type:             v1alpha1.DatasetPersistentVolume,
		PersistentVolume: &v1alpha1.PersistentVolumeSpec{Size: resource.MustParse("4Gi"), FSType: v1alpha1.FSTypeZFS},
		Properties:       v1alpha1.DatasetProperties{"recordsize": "16K", "compression": "zstd-3", "sync": "always"},
	}})
	block := testClaim(plan.Variant{Dataset: v1alpha1.DatasetSpec{
		Type: v1alpha1.DatasetPersistentVolume,
		PersistentVolume: &v1alpha1.PersistentVolumeSpec{Size: resource.MustParse("4Gi"), Sparse: true,
			VolumeMode: v1alpha1.VolumeBlock},
	}})
	foreign := testClaim(plan.Variant{Baseline: &v1alpha1.Baseline{
		PersistentVolume: &v1alpha1.PersistentVolumeBaseline{StorageClassName: "fast", Size: resource.MustParse("5Gi")},
	}})
	tests := map[string]any{
		"claim-class.yaml":        own.StorageClass(),
		"claim-class-block.yaml":  block.StorageClass(),
		"claim.yaml":              own.PersistentVolumeClaim(),
		"claim-block.yaml":        block.PersistentVolumeClaim(),
		"claim-foreign.yaml":      foreign.PersistentVolumeClaim(),
		"claim-holder.yaml":       own.Holder(testConfig()),
		"claim-holder-block.yaml": block.Holder(testConfig()),
		"claim-role.yaml":         own.Run.Role(),
		"claim-answer.yaml":       own.Run.ClaimConfigMap([]byte("{}")),
	}
	for name, object := range tests {
		t.Run(name, func(t *testing.T) { compareGolden(t, name, object) })
	}
	if foreign.StorageClass() != nil {
		t.Error("a StorageClass of somebody else's is to be made")
	}
}
