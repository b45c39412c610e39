// SPDX-License-Identifier: Apache-2.0

package recommend

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/storage/csi/localpv"
)

// Source is what documents are made from.
type Source struct {
	// Namespace and Name identify the benchmark.
	Namespace, Name string
	Variant         plan.Variant
	Devices         []plan.Device
	// NodeIDs are the driver's names of the nodes where it was measured.
	NodeIDs []string
}

// PoolName is the name of the pool in storageclass.yaml and zpool-create.txt. It is valid in OpenZFS, and is not one of
// its reserved words.
func (s Source) PoolName() string { return "pool-" + s.Name }

// StorageClass is storageclass.yaml: the variant for the driver, in the pool that ZpoolCreate creates. Properties that
// the driver does not set are set on the pool's root dataset, from which volumes inherit them, and named in a comment.
// It returns an error if the driver cannot make the filesystem.
func StorageClass(s Source) (string, error) {
	parameters, err := s.parameters()
	if err != nil {
		return "", err
	}
	expansion, binding := true, storagev1.VolumeBindingWaitForFirstConsumer
	class := storagev1.StorageClass{
		TypeMeta:             metav1.TypeMeta{APIVersion: storagev1.SchemeGroupVersion.String(), Kind: "StorageClass"},
		ObjectMeta:           metav1.ObjectMeta{Name: "zfsbench-" + s.Name},
		Provisioner:          localpv.Provisioner,
		Parameters:           parameters,
		MountOptions:         s.mountOptions(),
		AllowVolumeExpansion: &expansion,
		VolumeBindingMode:    &binding,
		AllowedTopologies: []corev1.TopologySelectorTerm{
			{MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{{Key: localpv.TopologyKey, Values: s.NodeIDs}}},
		},
	}
	body, err := yaml.Marshal(class)
	if err != nil {
		return "", fmt.Errorf("write the StorageClass: %w", err)
	}
	return s.explanation() + string(body), nil
}

func (s Source) parameters() (map[string]string, error) {
	d := s.Variant.Dataset
	fsType := ""
	if d.ZFSType() == v1alpha1.DatasetFilesystem {
		fsType = localpv.FSTypeZFS
	} else if f := d.OtherFilesystem(); f != nil {
		if !localpv.Makes(f.Type) {
			return nil, fmt.Errorf("the driver makes no %s on a volume", f.Type)
		}
		fsType = string(f.Type)
	}
	_, sparse := d.Room()
	return localpv.Parameters(s.PoolName(), fsType, sparse, d.Properties), nil
}

func (s Source) mountOptions() []string {
	filesystem := s.Variant.Dataset.OtherFilesystem()
	if filesystem == nil {
		return nil
	}
	var options []string
	for _, o := range filesystem.MountOptions {
		options = append(options, string(o))
	}
	return options
}

// inherited are the properties that the driver does not set, in order, as NAME=VALUE. notInherited are properties that
// only volumes have, so that they cannot be inherited.
func (s Source) inherited() (inherited, notInherited []string) {
	for _, name := range sorted(s.Variant.Dataset.Properties) {
		value := s.Variant.Dataset.Properties[name]
		switch text := name + "=" + string(value); {
		case localpv.Takes(name, value):
		case !localpv.IsInherited(name):
			notInherited = append(notInherited, text)
		default:
			inherited = append(inherited, text)
		}
	}
	return inherited, notInherited
}

// explanation is the comments above the object.
func (s Source) explanation() string {
	var out strings.Builder
	fmt.Fprintf(&out, "# Variant %s, recommended by benchmark %s/%s; summary.md says why. Its pool is made by "+
		"zpool-create.txt.\n", s.Variant.Name, s.Namespace, s.Name)
	inherited, notInherited := s.inherited()
	for _, property := range inherited {
		fmt.Fprintf(&out, "# %s is not a parameter of the driver: volumes inherit it from the pool (zfs set %s %s, which "+
			"zpool-create.txt does).\n", property, property, s.PoolName())
	}
	for _, property := range notInherited {
		fmt.Fprintf(&out, "# %s is not a parameter of the driver, and is not inherited: zfs set %s %s/pvc-NAME for each "+
			"volume.\n", property, property, s.PoolName())
	}
	if d := s.Variant.Dataset; d.IsBlockDevice() {
		fmt.Fprintf(&out, "# It was measured as a raw block device: claim it with volumeMode: Block.\n")
	} else if f := d.OtherFilesystem(); f != nil && len(f.MkfsOptions) > 0 {
		fmt.Fprintf(&out, "# The driver makes the filesystem with mkfs's defaults; it was measured with %v.\n", f.MkfsOptions)
	}
	for _, name := range sorted(s.Variant.ModuleParameters) {
		fmt.Fprintf(&out, "# It was measured with the module parameter %s=%s.\n", name, s.Variant.ModuleParameters[name])
	}
	return out.String()
}
