// SPDX-License-Identifier: Apache-2.0

package filesystem

import "strings"

// jfs is made by jfsutils. Its tool discards nothing and chooses the UUID itself, so the recorded UUID is in the label.
func jfs() Filesystem {
	return Filesystem{
		Type: "jfs", RarelyUsed: true, Version: []string{"mkfs.jfs", "-V"}, MinBytes: 64 << 20, usable: 0.9,
		initial: 1.0 / 64,
		make:    []string{"mkfs.jfs", "-q"}, uuid: []string{"-L"}, mark: JFSLabel,
		mkfs:  []Option{number("journalMiB", 1, 128).as("-s", "%")},
		mount: []Option{bare("integrity"), bare("nointegrity"), bare("discard"), bare("nodiscard")},
	}
}

// JFSLabel is the label of a JFS with a recorded UUID: the first 16 digits, because no more fit.
func JFSLabel(uuid string) string {
	digits := strings.ReplaceAll(uuid, "-", "")
	return digits[:min(16, len(digits))]
}
