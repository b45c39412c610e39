// SPDX-License-Identifier: Apache-2.0

package filesystem

// bcachefs is made by bcachefs-tools. It checksums data, by default with crc32c. Its tool discards only on request.
func bcachefs() Filesystem {
	return Filesystem{
		Type: "bcachefs", RarelyUsed: true, Version: []string{"bcachefs", "version"}, MinBytes: 128 << 20, usable: 0.7,
		make: []string{"bcachefs", "format", "--quiet"}, uuid: []string{"--uuid="},
		mkfs: []Option{
			oneOf("blockSize", "512", "1024", "2048", "4096").as("--block_size=%"),
			oneOf("compression", "none", "lz4", "gzip", "zstd").as("--compression=%"),
			oneOf("dataChecksum", "none", "crc32c", "crc64", "xxhash").as("--data_checksum=%"),
		},
		checksum: func(settings map[string]string) string {
			if settings["dataChecksum"] == "none" {
				return "off"
			}
			return onFor(settings["dataChecksum"], "crc32c")
		},
	}
}
