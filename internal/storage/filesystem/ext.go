// SPDX-License-Identifier: Apache-2.0

package filesystem

import "zfsbench.io/operator/api/v1alpha1"

// ext2, ext3 and ext4 are made by one tool (e2fsprogs) and differ in their options. The kernel's ext4 driver serves all
// three.

func ext2() Filesystem {
	return ext("ext2", nil, nil)
}

func ext3() Filesystem {
	return ext("ext3", []Option{journalSize()}, []Option{dataMode(), commitSeconds()})
}

func ext4() Filesystem {
	return ext("ext4", []Option{journalSize()}, []Option{
		dataMode(), commitSeconds(), bare("delalloc"), bare("nodelalloc"), bare("auto_da_alloc"), bare("noauto_da_alloc"),
		bare("dioread_lock"), bare("dioread_nolock"),
		bare("journal_checksum"), bare("discard"), bare("nodiscard"),
	})
}

func ext(t v1alpha1.FilesystemType, mkfs, mount []Option) Filesystem {
	return Filesystem{
		Type: t, Version: []string{"mke2fs", "-V"}, MinBytes: 64 << 20, usable: 0.9, initial: 1.0 / 64,
		make: []string{"mke2fs", "-q", "-t", string(t), "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0"},
		uuid: []string{"-U"},
		mkfs: append([]Option{
			oneOf("blockSize", "1024", "2048", "4096").as("-b", "%"), number("bytesPerInode", 1024, 4<<20).as("-i", "%"),
			oneOf("inodeSize", "128", "256", "512", "1024").as("-I", "%"), number("reservedBlocksPercent", 0, 50).as("-m", "%"),
		}, mkfs...),
		mount: mount,
	}
}

// journalSize is in MiB.
func journalSize() Option { return number("journalMiB", 4, 40960).as("-J", "size=%") }

// dataMode is when data is written, relative to the metadata that points to it.
func dataMode() Option { return oneOf("data", "journal", "ordered", "writeback") }

// commitSeconds is how often everything is written to disk.
func commitSeconds() Option { return number("commit", 1, 300) }
