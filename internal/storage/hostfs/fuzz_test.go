// SPDX-License-Identifier: Apache-2.0

package hostfs

import (
	"strings"
	"testing"
)

// FuzzParseFilesystems looks for lists that are read as filesystems that no line names.
func FuzzParseFilesystems(f *testing.F) {
	f.Add(someFilesystems)
	f.Add("nodev\n\text4")
	f.Fuzz(func(t *testing.T, text string) {
		known, err := parseFilesystems(strings.NewReader(text))
		if err != nil {
			return
		}
		for name := range known {
			if name == "" || !strings.Contains(text, name) || strings.ContainsAny(name, " \t\n") {
				t.Errorf("%q is read as the filesystem %q", text, name)
			}
		}
	})
}

// FuzzParseVersion wants a version to be one word that the tool has printed.
func FuzzParseVersion(f *testing.F) {
	f.Add("mke2fs 1.47.2 (1-Jan-2025)\n\tUsing EXT2FS Library version 1.47.2\n")
	f.Add("mkfs.btrfs, part of btrfs-progs v6.14\n")
	f.Fuzz(func(t *testing.T, text string) {
		got := parseVersion(text)
		if got != "present" && !strings.Contains(text, got) || strings.ContainsAny(got, " \t\r\n") {
			t.Errorf("%q has the version %q", text, got)
		}
	})
}
