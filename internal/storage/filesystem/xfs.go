// SPDX-License-Identifier: Apache-2.0

package filesystem

// xfs is made by xfsprogs. It checksums metadata, but not data.
func xfs() Filesystem {
	return Filesystem{
		Type: "xfs", Version: []string{"mkfs.xfs", "-V"}, MinBytes: 320 << 20, usable: 0.75,
		make: []string{"mkfs.xfs", "-q", "-K"}, uuid: []string{"-m", "uuid="},
		mkfs: []Option{
			number("agCount", 1, 1024).as("-d", "agcount=%"), oneOf("blockSize", "1024", "2048", "4096").as("-b", "size=%"),
			number("logMiB", 64, 2048).as("-l", "size=%m"),
			oneOf("reflink", "0", "1").as("-m", "reflink=%"),
		},
		mount: []Option{
			oneOf("allocsize", "64k", "128k", "256k", "512k", "1m", "4m", "16m", "64m", "256m", "1g"), number("logbufs", 2, 8),
			oneOf("logbsize", "16k", "32k", "64k", "128k", "256k"), bare("largeio"), bare("nolargeio"), bare("swalloc"),
			bare("discard"), bare("nodiscard"),
		},
	}
}
