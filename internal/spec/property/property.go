// SPDX-License-Identifier: Apache-2.0

package property

import (
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
)

// Property is a pool or dataset property that a benchmark may set. Its valid values are in the CRD.
type Property struct {
	Name string
	// Type is the only dataset type that has the property; empty if both types have it, and for pool properties.
	Type v1alpha1.DatasetType
}

const (
	remove    = "remove it"
	useVolume = "use dataset.volume"
)

// The names come from OpenZFS 2.1 to 2.4 (module/zcommon/zfs_prop.c, zpool_prop.c, zfeature_common.c). Only properties
// that change a measurement are listed.
var (
	poolProperties = []Property{{Name: "autotrim"}, {Name: "dedup_table_quota"}}

	datasetProperties = []Property{
		{"atime", v1alpha1.DatasetFilesystem},
		{Name: "checksum"},
		{Name: "compression"},
		{Name: "copies"},
		{Name: "dedup"},
		{"direct", v1alpha1.DatasetFilesystem},
		{"dnodesize", v1alpha1.DatasetFilesystem},
		{Name: "logbias"},
		{Name: "prefetch"},
		{Name: "primarycache"},
		{"recordsize", v1alpha1.DatasetFilesystem},
		{Name: "redundant_metadata"},
		{"relatime", v1alpha1.DatasetFilesystem},
		{Name: "secondarycache"},
		{Name: "special_small_blocks"},
		{Name: "sync"},
		{"volblocksize", v1alpha1.DatasetVolume},
		{"volthreading", v1alpha1.DatasetVolume},
		{"xattr", v1alpha1.DatasetFilesystem},
	}

	// The runner sets these itself, or relies on their defaults. The value says what to do instead.
	reservedPoolProperties = map[string]string{
		"altroot": remove, "ashift": "use pool.ashift", "bootfs": remove, "cachefile": remove, "comment": remove,
		"compatibility": remove,
		"failmode":      remove, "multihost": remove, "readonly": remove, "version": remove,
	}
	reservedDatasetProperties = map[string]string{
		"canmount": remove, "devices": remove, "encryption": remove, "exec": remove, "keyformat": remove,
		"keylocation": remove, "mountpoint": remove,
		"overlay": remove, "pbkdf2iters": remove, "readonly": remove, "refreservation": useVolume, "reservation": remove,
		"setuid":   remove,
		"sharenfs": remove, "sharesmb": remove, "snapdev": remove, "snapdir": remove, "volmode": remove, "volsize": useVolume,
		"zoned": remove,
	}
)

// features are the valid names after feature@.
var features = []string{
	"allocation_classes", "async_destroy", "blake3", "block_cloning", "block_cloning_endian", "bookmark_v2",
	"bookmark_written", "bookmarks",
	"device_rebuild", "device_removal", "draid", "dynamic_gang_header", "edonr", "embedded_data", "empty_bpobj",
	"enabled_txg", "encryption",
	"extensible_dataset", "fast_dedup", "filesystem_limits", "head_errlog", "hole_birth", "large_blocks", "large_dnode",
	"large_microzap",
	"livelist", "log_spacemap", "longname", "lz4_compress", "multi_vdev_crash_dump", "obsolete_counts", "physical_rewrite",
	"project_quota",
	"raidz_expansion", "redacted_datasets", "redaction_bookmarks", "redaction_list_spill", "resilver_defer", "sha512",
	"skein",
	"spacemap_histogram", "spacemap_v2", "userobj_accounting", "vdev_zaps_v2", "zilsaxattr", "zpool_checkpoint",
	"zstd_compress",
}

// OfPool returns the pool property with this name; feature@NAME is one too. The error says why a benchmark may not set
// it.
func OfPool(name string) (Property, error) {
	if feature, ok := strings.CutPrefix(name, "feature@"); ok {
		if !slices.Contains(features, feature) {
			return Property{}, fmt.Errorf("%s is not a feature of OpenZFS 2.1 to 2.4", name)
		}
		return Property{Name: name}, nil
	}
	if p, ok := find(poolProperties, name); ok {
		return p, nil
	}
	return Property{}, notAllowed("pool", name, listed(poolProperties)+" and feature@NAME", reservedPoolProperties)
}

// OfDataset returns the dataset property with this name. The error says why a benchmark may not set it.
func OfDataset(name string) (Property, error) {
	if p, ok := find(datasetProperties, name); ok {
		return p, nil
	}
	return Property{}, notAllowed("dataset", name, listed(datasetProperties), reservedDatasetProperties)
}

// IsOfPool says whether the name is a pool property; otherwise it is a dataset property. No name is both. The error
// says why a benchmark may not set it.
func IsOfPool(name string) (bool, error) {
	_, poolErr := OfPool(name)
	_, datasetErr := OfDataset(name)
	_, ofPool := reservedPoolProperties[name]
	_, ofDataset := reservedDatasetProperties[name]
	switch {
	case poolErr == nil || datasetErr == nil:
		return poolErr == nil, nil
	case ofPool || strings.HasPrefix(name, "feature@"):
		return false, poolErr
	case ofDataset:
		return false, datasetErr
	}
	return false, fmt.Errorf("property %s cannot be set: a benchmark may set layout, ashift, the pool properties %s "+
		"and feature@NAME, and the dataset properties %s",
		name, listed(poolProperties), listed(datasetProperties))
}

func find(table []Property, name string) (Property, bool) {
	i := slices.IndexFunc(table, func(p Property) bool { return p.Name == name })
	if i < 0 {
		return Property{}, false
	}
	return table[i], true
}

// notAllowed says why a property cannot be set: the runner reserves it, or it is not in the table.
func notAllowed(kind, name, allowed string, reserved map[string]string) error {
	if instead, ok := reserved[name]; ok {
		return fmt.Errorf("%s property %s belongs to the runner alone: %s", kind, name, instead)
	}
	return fmt.Errorf("%s property %s cannot be set: a benchmark may set %s", kind, name, allowed)
}

// listed joins the names of a table for a message.
func listed(table []Property) string {
	var names []string
	for _, p := range table {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}
