// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/spec/matrix"
)

// assumedDiskBytes is the size of a disk that no policy names.
const assumedDiskBytes = 1 << 40

// assume returns a policy that consents to all that the benchmark uses on a node, so that a plan can be made. It is
// never shown and never written anywhere.
func assume(b *v1alpha1.ZfsBenchmark, node plan.Node) (v1alpha1.BenchmarkDevicePolicy, error) {
	expanded, err := matrix.Expand(b.Spec)
	if err != nil {
		return v1alpha1.BenchmarkDevicePolicy{}, err
	}
	spec := v1alpha1.BenchmarkDevicePolicySpec{
		Node: v1alpha1.PolicyNode{Name: node.Name, UID: node.UID}, Namespaces: []string{b.Namespace},
		MDArrays: v1alpha1.MDArraysAllowed, FileDevices: v1alpha1.FileDevicesAllowed,
		Filesystems: []v1alpha1.RarelyUsedFilesystem{"f2fs", "jfs", "reiserfs", "bcachefs"},
		Images:      plan.Plan{Workloads: b.Spec.Workloads}.Images(),

		PersistentVolumeClaims: plan.CorpusClaimsOf(b.Spec.Workloads),
	}
	for _, d := range b.Spec.Devices {
		for _, disk := range d.Numbered() {
			if disk.Class != "" {
				disk.Path = "/dev/disk/by-id/assumed-" + disk.Name
			}
			if disk.Path != "" {
				spec.Devices = append(spec.Devices, v1alpha1.PolicyDevice{Path: disk.Path, Serial: "of-" + disk.Name,
					Size: *resource.NewQuantity(assumedDiskBytes, resource.BinarySI), Class: disk.Class})
			}
		}
	}
	var variants []plan.Variant
	for _, v := range expanded {
		variants = append(variants, plan.Variant{ModuleParameters: v.ModuleParameters})
		if v.Baseline != nil && v.Baseline.PersistentVolume != nil {
			claim := v.Baseline.PersistentVolume
			spec.StorageClasses = append(spec.StorageClasses,
				v1alpha1.PolicyStorageClass{Name: claim.StorageClassName, TotalSize: claim.Size})
		}
	}
	spec.ModuleParameters = plan.ModuleParameters(variants)
	return v1alpha1.BenchmarkDevicePolicy{ObjectMeta: metav1.ObjectMeta{Name: "assumed"}, Spec: spec}, nil
}
