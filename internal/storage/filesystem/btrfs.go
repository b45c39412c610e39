// SPDX-License-Identifier: Apache-2.0

package filesystem

import "cmp"

// btrfs is made by btrfs-progs. It checksums data, by default with crc32c.
func btrfs() Filesystem {
	compress := []string{"no", "zlib", "lzo", "zstd"}
	for _, level := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"} {
		compress = append(compress, "zlib:"+level, "zstd:"+level)
	}
	profiles := []string{"single", "dup"}
	return Filesystem{
		Type: "btrfs", Version: []string{"mkfs.btrfs", "--version"}, MinBytes: 128 << 20, usable: 0.7,
		make: []string{"mkfs.btrfs", "-q", "-K"}, uuid: []string{"-U"},
		mkfs: []Option{
			oneOf("checksum", "crc32c", "xxhash", "sha256", "blake2").as("--checksum", "%"),
			oneOf("dataProfile", profiles...).as("-d", "%"),
			oneOf("metadataProfile", profiles...).as("-m", "%"),
			oneOf("nodeSize", "4096", "8192", "16384", "32768", "65536").as("-n", "%"),
		},
		mount: []Option{
			bare("autodefrag"), commitSeconds(), oneOf("compress", compress...), oneOf("discard", "sync", "async"),
			bare("flushoncommit"),
			bare("nodatacow"), bare("nodatasum"), bare("nodiscard"), bare("ssd"), bare("nossd"), oneOf("space_cache", "v2"),
			bare("treelog"), bare("notreelog"),
		},
		checksum: func(settings map[string]string) string {
			_, noCow := settings["nodatacow"]
			_, noSum := settings["nodatasum"]
			if noCow || noSum {
				return "off"
			}
			return onFor(settings["checksum"], "crc32c")
		},
	}
}

// onFor translates to the value of ZFS's property: on for the default algorithm.
func onFor(algorithm, byDefault string) string {
	if cmp.Or(algorithm, byDefault) == byDefault {
		return "on"
	}
	return algorithm
}
