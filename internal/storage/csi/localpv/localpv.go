// SPDX-License-Identifier: Apache-2.0

package localpv

import (
	"regexp"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
)

const (
	// Provisioner is the driver's name.
	Provisioner = "zfs.csi.openebs.io"
	// TopologyKey is the label by which the driver identifies nodes. It identifies a node without the label by its
	// name.
	TopologyKey = "openebs.io/nodeid"
	// Group is the API group of the driver's own objects.
	Group = "zfs.openebs.io"
	// Version is the version of that group that this build reads.
	Version = "v1"
	// NodesCRD defines the driver's objects about nodes.
	NodesCRD = "zfsnodes." + Group
	// VolumesCRD defines the driver's objects about volumes.
	VolumesCRD = "zfsvolumes." + Group
	// PoolAttribute is the attribute of a PersistentVolume that names the volume's dataset.
	PoolAttribute = "openebs.io/poolname"
	// FSTypeZFS is the fstype of a dataset; without an fstype a volume is a block device.
	FSTypeZFS = "zfs"
)

// carried are the dataset properties that the driver takes as parameters, and the values that it accepts (zfs-localpv
// 2.x, pkg/apis/openebs.io/zfs/v1/zfsvolume.go). It ignores every other parameter silently.
var carried = map[string]*regexp.Regexp{
	"recordsize":   regexp.MustCompile(`.`),
	"volblocksize": regexp.MustCompile(`.`),
	"compression":  regexp.MustCompile(`^(on|off|lzjb|zstd|zstd-[1-9]|zstd-1[0-9]|gzip|gzip-[1-9]|zle|lz4)$`),
	"dedup":        regexp.MustCompile(`^(on|off)$`),
}

// Makes says whether the driver can make this filesystem on a volume.
func Makes(filesystem v1alpha1.FilesystemType) bool {
	return slices.Contains([]v1alpha1.FilesystemType{"ext2", "ext3", "ext4", "xfs", "btrfs"}, filesystem)
}

// Takes says whether the driver sets a property with this value on its volumes.
func Takes(name string, value v1alpha1.PropertyValue) bool {
	pattern, known := carried[name]
	return known && pattern.MatchString(string(value))
}

// IsInherited says whether the driver's volumes inherit a property from their parent dataset, if the driver does not
// set it.
func IsInherited(name string) bool { return name != "volthreading" }

// Parameters are the parameters of a StorageClass that makes volumes in a dataset, given by its full name. fsType is
// empty for a block device.
func Parameters(dataset, fsType string, sparse bool, properties v1alpha1.DatasetProperties) map[string]string {
	p := map[string]string{"poolname": dataset, "thinprovision": "no"}
	if sparse {
		p["thinprovision"] = "yes"
	}
	if fsType != "" {
		p["fstype"] = fsType
	}
	for name, value := range properties {
		if Takes(name, value) {
			p[name] = string(value)
		}
	}
	return p
}

// ForParent returns the properties to set on the parent dataset of the driver's volumes: the ones that the driver does
// not set.
func ForParent(properties v1alpha1.DatasetProperties) v1alpha1.DatasetProperties {
	parent := v1alpha1.DatasetProperties{}
	for name, value := range properties {
		if !Takes(name, value) {
			parent[name] = value
		}
	}
	return parent
}

// NodeID is the driver's name for a node.
func NodeID(name string, labels map[string]string) string {
	if id := labels[TopologyKey]; id != "" {
		return id
	}
	return name
}
