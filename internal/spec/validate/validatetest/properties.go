// SPDX-License-Identifier: Apache-2.0

package validatetest

import (
	"fmt"
	"maps"
)

// Properties are cases about pool and dataset properties: for each, values to accept and to refuse.
func Properties() map[string]Case {
	cases := map[string]Case{
		"every pool property": {Patch: poolProperties(
			`autotrim: "off", dedup_table_quota: auto, feature@fast_dedup: enabled`)},
		"every filesystem property": {Patch: datasetProperties(everyFilesystemProperty)},
		"every volume property":     {Patch: volumeProperties(everyVolumeProperty)},
		"a value that is a boolean": {Patch: datasetProperties(`atime: false`), Message: "atime"},
		"a value that is a number": {Patch: datasetProperties(`copies: 2`), Field: "spec.dataset.properties.copies",
			Message: "must be of type string"},
		"a value with a new line": {Patch: datasetProperties(`sync: "always\n"`), Field: "spec.dataset.properties",
			Message: "sync"},
		"a new line inside a value": {Patch: datasetProperties(`compression: "lz4\nx"`), Field: "spec.dataset.properties",
			Message: "compression must be on, off, lz4"},
		"an unknown property": {Patch: datasetProperties(`recordsiez: 1M`), Field: "spec.dataset.properties",
			Message: "dataset property recordsiez cannot be set: a benchmark may set atime, checksum, compression"},
		"an unknown pool property": {Patch: poolProperties(`autoexpand: "on"`), Field: "spec.pool.properties",
			Message: "pool property autoexpand cannot be set: a benchmark may set autotrim, " +
				"dedup_table_quota and feature@NAME"},
		"a user property": {Patch: datasetProperties(`"org:x": z`), Field: "spec.dataset.properties",
			Message: "dataset property org:x cannot be set"},
		"an unknown feature": {Patch: poolProperties(`feature@warp_drive: enabled`), Field: "spec.pool.properties",
			Message: "feature@warp_drive is not a feature of OpenZFS"},
		"a feature active": {Patch: poolProperties(`feature@lz4_compress: active`), Field: "spec.pool.properties",
			Message: "feature@lz4_compress must be enabled or disabled"},
		"volsize": {Patch: volumeProperties(`volsize: 1G`), Field: "spec.dataset.properties",
			Message: "dataset property volsize belongs to the runner alone: use dataset.volume"},
		"ashift as a property": {Patch: poolProperties(`ashift: "12"`), Field: "spec.pool.properties",
			Message: "pool property ashift belongs to the runner alone: use pool.ashift"},
		"volblocksize on a filesystem": {
			Patch: datasetProperties(`volblocksize: 16K`), Field: "spec.dataset.properties", Message: "volblocksize is a " +
				"property of type Volume only",
		},
		"recordsize on a volume": {
			Patch: volumeProperties(`recordsize: 16K`), Field: "spec.dataset.properties", Message: "recordsize is a property " +
				"of type Filesystem only",
		},
		"xattr on a volume": {Patch: volumeProperties(`xattr: sa`), Field: "spec.dataset.properties", Message: "xattr is " +
			"a property of type Filesystem only"},
	}
	for _, name := range []string{"altroot", "cachefile", "comment", "compatibility", "failmode", "multihost"} {
		cases["the runner's pool property "+name] = Case{
			Patch: poolProperties(name + `: "off"`), Field: "spec.pool.properties", Message: "pool property " + name +
				" belongs to the runner alone: remove it",
		}
	}
	for _, name := range []string{"mountpoint", "canmount", "overlay", "keylocation", "sharenfs", "sharesmb", "encryption",
		"volmode", "readonly"} {
		cases["the runner's dataset property "+name] = Case{
			Patch: datasetProperties(name + `: "off"`), Field: "spec.dataset.properties", Message: "dataset property " + name +
				" belongs to the runner alone: remove it",
		}
	}
	maps.Copy(cases, values())
	return cases
}

// values are, per property, values to accept and values to refuse.
func values() map[string]Case {
	table := []struct {
		patch      func(string) string
		path, name string
		good, bad  []string
		message    string
	}{
		{poolProperties, "spec.pool", "autotrim", []string{"on", "off"}, []string{"yes", ""}, "autotrim must be on or off"},
		{poolProperties, "spec.pool", "dedup_table_quota", []string{"none", "auto", "512M", "1G", "123456"},
			[]string{"0", "512m", "1GB"}, "dedup_table_quota must be none, auto or a size"},
		{datasetProperties, "spec.dataset", "atime", []string{"on", "off"}, []string{"true"}, "atime must be on or off"},
		{datasetProperties, "spec.dataset", "checksum",
			[]string{"on", "off", "fletcher2", "fletcher4", "sha256", "sha512", "skein", "edonr", "blake3"},
			[]string{"noparity", "md5"}, "checksum must be on, off, fletcher2"},
		{datasetProperties, "spec.dataset", "compression",
			[]string{"on", "off", "lz4", "lzjb", "zle", "gzip", "gzip-1", "gzip-9", "zstd", "zstd-1", "zstd-9", "zstd-10",
				"zstd-19", "zstd-fast", "zstd-fast-1", "zstd-fast-10", "zstd-fast-90", "zstd-fast-100", "zstd-fast-500",
				"zstd-fast-1000"},
			[]string{"gzip-0", "gzip-10", "zstd-0", "zstd-20", "zstd-fast-11", "zstd-fast-200", "lzo", "LZ4"}, "compression " +
				"must be on, off, lz4"},
		{datasetProperties, "spec.dataset", "copies", []string{"1", "2", "3"}, []string{"0", "4"},
			"copies must be 1, 2 or 3"},
		{datasetProperties, "spec.dataset", "dedup",
			[]string{"on", "off", "verify", "sha256", "sha512,verify", "skein", "blake3,verify", "edonr,verify"},
			[]string{"edonr", "fletcher4", "on,verify"}, "dedup must be on, off, verify"},
		{datasetProperties, "spec.dataset", "direct", []string{"disabled", "standard", "always"}, []string{"on"},
			"direct must be disabled, standard or always"},
		{datasetProperties, "spec.dataset", "dnodesize", []string{"legacy", "auto", "1k", "16k"}, []string{"32k", "1K"},
			"dnodesize must be legacy, auto, 1k"},
		{datasetProperties, "spec.dataset", "logbias", []string{"latency", "throughput"}, []string{"speed"},
			"logbias must be latency or throughput"},
		{datasetProperties, "spec.dataset", "prefetch", []string{"all", "none", "metadata"}, []string{"on"}, "prefetch " +
			"must be all, none or metadata"},
		{datasetProperties, "spec.dataset", "primarycache", []string{"all", "none", "metadata"}, []string{"data"},
			"primarycache must be all, none or metadata"},
		{datasetProperties, "spec.dataset", "recordsize", []string{"512", "1K", "4k", "128K", "1M", "16m"},
			[]string{"100K", "256", "3K", "32M", "128KB", "1.5M", "0", "1024"},
			"recordsize must be a power of two from 512 to 16M, for example 128K"},
		{datasetProperties, "spec.dataset", "redundant_metadata", []string{"all", "most", "some", "none"}, []string{"few"},
			"redundant_metadata must be all, most, some or none"},
		{datasetProperties, "spec.dataset", "relatime", []string{"on", "off"}, []string{"auto"},
			"relatime must be on or off"},
		{datasetProperties, "spec.dataset", "secondarycache", []string{"all", "none", "metadata"}, []string{"off"},
			"secondarycache must be all, none or metadata"},
		{datasetProperties, "spec.dataset", "special_small_blocks", []string{"0", "512", "32K", "16M"},
			[]string{"1", "32M", "48K"}, "special_small_blocks must be 0 or a power of two from 512 to 16M"},
		{datasetProperties, "spec.dataset", "sync", []string{"standard", "always", "disabled"}, []string{"off"},
			"sync must be standard, always or disabled"},
		{volumeProperties, "spec.dataset", "volblocksize", []string{"512", "8K", "16k", "128K", "16m"},
			[]string{"32M", "100", "10K"}, "volblocksize must be a power of two from 512 to 16M"},
		{volumeProperties, "spec.dataset", "volthreading", []string{"on", "off"}, []string{"1"}, "volthreading must be on " +
			"or off"},
		{datasetProperties, "spec.dataset", "xattr", []string{"on", "off", "sa", "dir"}, []string{"yes"}, "xattr must be " +
			"on, off, sa or dir"},
	}
	cases := map[string]Case{}
	for _, t := range table {
		for _, v := range t.good {
			cases[t.name+"="+v] = Case{Patch: t.patch(fmt.Sprintf("%s: %q", t.name, v))}
		}
		for _, v := range t.bad {
			cases[t.name+"="+v] = Case{Patch: t.patch(fmt.Sprintf("%s: %q", t.name, v)), Field: t.path + ".properties",
				Message: t.message}
		}
	}
	return cases
}

func poolProperties(props string) string {
	return "{spec: {pool: {properties: {" + props + "}}}}"
}

func datasetProperties(props string) string {
	return "{spec: {dataset: {properties: {" + props + "}}}}"
}

func volumeProperties(props string) string {
	return "{spec: {dataset: {type: Volume, volume: {size: 1Gi}, properties: {" + props + "}}}}"
}

const (
	everyCommonProperty = `checksum: skein, compression: zstd-3, copies: "1", dedup: "off", logbias: latency, prefetch: all, primarycache: all, redundant_metadata: all, ` +
		`secondarycache: none, special_small_blocks: 32K, sync: standard, `
	everyFilesystemProperty = everyCommonProperty +
		`atime: "off", direct: standard, dnodesize: auto, recordsize: 128K, relatime: "on", xattr: sa`
	everyVolumeProperty = everyCommonProperty + `volblocksize: 64K, volthreading: "off"`
)
