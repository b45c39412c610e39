// SPDX-License-Identifier: Apache-2.0

package filesystem

// f2fs is made by f2fs-tools.
func f2fs() Filesystem {
	return Filesystem{
		Type: "f2fs", RarelyUsed: true, Version: []string{"mkfs.f2fs", "-V"}, MinBytes: 128 << 20, usable: 0.7,
		make: []string{"mkfs.f2fs", "-q", "-t", "0"}, uuid: []string{"-U"},
		mkfs: []Option{number("overprovisionPercent", 1, 50).as("-o", "%"),
			number("segmentsPerSection", 1, 1024).as("-s", "%")},
		mount: []Option{
			oneOf("background_gc", "on", "off", "sync"), bare("discard"), bare("nodiscard"),
			oneOf("fsync_mode", "posix", "strict"), bare("inline_data"), bare("noinline_data"),
			bare("inline_dentry"), bare("noinline_dentry"), oneOf("mode", "adaptive", "lfs"),
		},
	}
}
