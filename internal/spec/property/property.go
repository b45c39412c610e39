// SPDX-License-Identifier: Apache-2.0

package property

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
)

// Property is a pool or dataset property that a benchmark may set.
type Property struct {
	Name string
	// Type is the only type of dataset that has the property; empty for both, and for pool properties.
	Type v1alpha1.DatasetType
	// Want says in words which values are right, to follow "must be".
	Want   string
	values *regexp.Regexp
}

// Accepts says whether zpool or zfs takes the value.
func (p Property) Accepts(value v1alpha1.PropertyValue) bool {
	return p.values.MatchString(string(value))
}

const (
	remove    = "remove it"
	useVolume = "use dataset.volume"
)

// The names and values are those of OpenZFS 2.1 to 2.4 (module/zcommon/zfs_prop.c, zpool_prop.c, zfeature_common.c), limited to what changes a
// measurement.
var (
	poolProperties = []Property{
		either("", "autotrim", "on", "off"),
		{Name: "dedup_table_quota", Want: "none, auto or a size such as 512M", values: regexp.MustCompile(`^(none|auto|[1-9][0-9]{0,5}[KMGT]?)$`)},
	}

	datasetProperties = []Property{
		either(v1alpha1.DatasetFilesystem, "atime", "on", "off"),
		either("", "checksum", "on", "off", "fletcher2", "fletcher4", "sha256", "sha512", "skein", "edonr", "blake3"),
		{
			Name:   "compression",
			Want:   "on, off, lz4, lzjb, zle, gzip, gzip-1 to gzip-9, zstd, zstd-1 to zstd-19, zstd-fast, or zstd-fast- with 1 to 10, 20, 30 to 100, 500 or 1000",
			values: regexp.MustCompile(`^(on|off|lz4|lzjb|zle|gzip(-[1-9])?|zstd(-([1-9]|1[0-9]))?|zstd-fast(-([1-9]|[1-9]0|100|500|1000))?)$`),
		},
		either("", "copies", "1", "2", "3"),
		{
			Name:   "dedup",
			Want:   "on, off, verify, edonr,verify, or one of sha256, sha512, skein and blake3 with or without ,verify",
			values: regexp.MustCompile(`^(on|off|verify|(sha256|sha512|skein|blake3)(,verify)?|edonr,verify)$`),
		},
		either(v1alpha1.DatasetFilesystem, "direct", "disabled", "standard", "always"),
		either(v1alpha1.DatasetFilesystem, "dnodesize", "legacy", "auto", "1k", "2k", "4k", "8k", "16k"),
		either("", "logbias", "latency", "throughput"),
		either("", "prefetch", "all", "none", "metadata"),
		either("", "primarycache", "all", "none", "metadata"),
		powerOfTwo(v1alpha1.DatasetFilesystem, "recordsize", 16<<20, "a power of two from 512 to 16M, for example 128K"),
		either("", "redundant_metadata", "all", "most", "some", "none"),
		either(v1alpha1.DatasetFilesystem, "relatime", "on", "off"),
		either("", "secondarycache", "all", "none", "metadata"),
		powerOfTwo("", "special_small_blocks", 16<<20, "0 or a power of two from 512 to 16M, for example 32K", "0"),
		either("", "sync", "standard", "always", "disabled"),
		powerOfTwo(v1alpha1.DatasetVolume, "volblocksize", 16<<20, "a power of two from 512 to 16M, for example 16K"),
		either(v1alpha1.DatasetVolume, "volthreading", "on", "off"),
		either(v1alpha1.DatasetFilesystem, "xattr", "on", "off", "sa", "dir"),
	}

	// The runner sets these itself, or must not have them changed; with what to do instead.
	reservedPoolProperties = map[string]string{
		"altroot": remove, "ashift": "use pool.ashift", "bootfs": remove, "cachefile": remove, "comment": remove, "compatibility": remove,
		"failmode": remove, "multihost": remove, "readonly": remove, "version": remove,
	}
	reservedDatasetProperties = map[string]string{
		"canmount": remove, "devices": remove, "encryption": remove, "exec": remove, "keyformat": remove, "keylocation": remove, "mountpoint": remove,
		"overlay": remove, "pbkdf2iters": remove, "readonly": remove, "refreservation": useVolume, "reservation": remove, "setuid": remove,
		"sharenfs": remove, "sharesmb": remove, "snapdev": remove, "snapdir": remove, "volmode": remove, "volsize": useVolume, "zoned": remove,
	}
)

// features are the names that feature@ takes.
var features = []string{
	"allocation_classes", "async_destroy", "blake3", "block_cloning", "block_cloning_endian", "bookmark_v2", "bookmark_written", "bookmarks",
	"device_rebuild", "device_removal", "draid", "dynamic_gang_header", "edonr", "embedded_data", "empty_bpobj", "enabled_txg", "encryption",
	"extensible_dataset", "fast_dedup", "filesystem_limits", "head_errlog", "hole_birth", "large_blocks", "large_dnode", "large_microzap",
	"livelist", "log_spacemap", "longname", "lz4_compress", "multi_vdev_crash_dump", "obsolete_counts", "physical_rewrite", "project_quota",
	"raidz_expansion", "redacted_datasets", "redaction_bookmarks", "redaction_list_spill", "resilver_defer", "sha512", "skein",
	"spacemap_histogram", "spacemap_v2", "userobj_accounting", "vdev_zaps_v2", "zilsaxattr", "zpool_checkpoint", "zstd_compress",
}

// either is a property with a few words as values.
func either(t v1alpha1.DatasetType, name string, values ...string) Property {
	last := len(values) - 1
	return Property{
		Name: name, Type: t,
		Want:   strings.Join(values[:last], ", ") + " or " + values[last],
		values: regexp.MustCompile("^(" + strings.Join(values, "|") + ")$"),
	}
}

// powerOfTwo is a property whose values are sizes from 512 bytes to most, and the others given.
func powerOfTwo(t v1alpha1.DatasetType, name string, most int, want string, others ...string) Property {
	values := slices.Concat(others, []string{"512"})
	for n := 1 << 10; n <= most; n <<= 1 {
		if n < 1<<20 {
			values = append(values, fmt.Sprintf("%d[Kk]", n>>10))
		} else {
			values = append(values, fmt.Sprintf("%d[Mm]", n>>20))
		}
	}
	return Property{Name: name, Type: t, Want: want, values: regexp.MustCompile("^(" + strings.Join(values, "|") + ")$")}
}

// featureValues are those of every feature.
var featureValues = regexp.MustCompile(`^(enabled|disabled)$`)

// OfPool returns the pool property of a name, feature@NAME included. The error says why a benchmark may not set it.
func OfPool(name string) (Property, error) {
	if feature, ok := strings.CutPrefix(name, "feature@"); ok {
		if !slices.Contains(features, feature) {
			return Property{}, fmt.Errorf("%s is no feature of OpenZFS 2.1 to 2.4", name)
		}
		return Property{Name: name, Want: "enabled or disabled", values: featureValues}, nil
	}
	if p, ok := find(poolProperties, name); ok {
		return p, nil
	}
	return Property{}, notAllowed("pool", name, listed(poolProperties)+" and feature@NAME", reservedPoolProperties)
}

// OfDataset returns the dataset property of a name. The error says why a benchmark may not set it.
func OfDataset(name string) (Property, error) {
	if p, ok := find(datasetProperties, name); ok {
		return p, nil
	}
	return Property{}, notAllowed("dataset", name, listed(datasetProperties), reservedDatasetProperties)
}

// IsOfPool says whether a property is one of a pool, and not of a dataset; no name is both. The error says why a benchmark may set neither.
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
	return false, fmt.Errorf("property %s is not one that a benchmark may set, which are ashift, of a pool %s and feature@NAME, and of a dataset %s",
		name, listed(poolProperties), listed(datasetProperties))
}

func find(table []Property, name string) (Property, bool) {
	i := slices.IndexFunc(table, func(p Property) bool { return p.Name == name })
	if i < 0 {
		return Property{}, false
	}
	return table[i], true
}

// notAllowed tells a property that the runner keeps for itself from one that nobody may set.
func notAllowed(kind, name, allowed string, reserved map[string]string) error {
	if instead, ok := reserved[name]; ok {
		return fmt.Errorf("%s property %s belongs to the runner alone: %s", kind, name, instead)
	}
	return fmt.Errorf("%s property %s is not one that a benchmark may set, which are %s", kind, name, allowed)
}

// listed is the names of a table for a message.
func listed(table []Property) string {
	var names []string
	for _, p := range table {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}
