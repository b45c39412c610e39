// SPDX-License-Identifier: Apache-2.0

//go:build node

package blockdev

import (
	_ "embed"
	"errors"
	"os"
	"strconv"
	"testing"
)

// bcacheSuperblock is what make-bcache 1.0.8 writes 4 KiB into a backing device.
//
//go:embed testdata/bcache-superblock-1.0.8.bin
var bcacheSuperblock []byte

// tool is a case in which one command, given the disk as its last argument, signs it.
func tool(text string, want Step, command ...string) deviceCase {
	return deviceCase{
		put:  static(func(t *testing.T, n *nodeDisk) { n.run(t, append(command, n.want.Path)...) }),
		want: []Step{want}, text: text,
	}
}

// signedCases are whole disks with a signature.
func signedCases() map[string]deviceCase {
	return map[string]deviceCase{
		"ext4":  {put: static(putExt4), want: []Step{StepSignatures}, text: "ext4"},
		"xfs":   tool("xfs", StepSignatures, "env", "TEST_DIR=/", "TEST_DEV=/", "QA_CHECK_FS=/", "mkfs.xfs", "-q", "-f"),
		"btrfs": tool("btrfs", StepSignatures, "mkfs.btrfs", "-q", "--mixed"),
		// mkfs.vfat also writes a partition table.
		"FAT": {put: static(func(t *testing.T, n *nodeDisk) {
			n.run(t, "mkfs.vfat", n.want.Path)
		}), want: []Step{StepPartitions, StepSignatures}},
		"swap":                tool("swap", StepSignatures, "mkswap"),
		"LVM physical volume": tool("LVM2_member", StepSignatures, "lvm", "pvcreate", "-qq"),
		"member of an md array": {
			put: static(func(t *testing.T, n *nodeDisk) {
				makeArray(t, n)
				n.run(t, "mdadm", "--stop", nodeArray)
			}), want: []Step{StepSignatures}, text: "linux_raid_member",
		},
		"LUKS": {put: static(putLUKS), want: []Step{StepSignatures}, text: "crypto_LUKS"},
		"bcache backing device": {
			put: static(func(t *testing.T, n *nodeDisk) {
				n.write(t, 4096, bcacheSuperblock)
			}), want: []Step{StepSignatures}, text: "bcache",
		},
		"two signatures that contradict each other": {
			put: static(func(t *testing.T, n *nodeDisk) {
				putExt4(t, n)
				n.write(t, 0, fatBootSector(t, n))
			}),
			// blkid says nothing at all about such a disk.
			want: []Step{StepSignatures}, text: "signature vfat",
		},
		"a filesystem behind a wiped partition table": {
			put: static(func(t *testing.T, n *nodeDisk) {
				n.run(t, "mkfs.ext4", "-q", "-E", "offset=1048576", n.want.Path, strconv.FormatInt(n.size/mebibyte-2, 10)+"M")
			}),
			want: []Step{StepSignatures}, text: "ext4",
		},
	}
}

// tableCases are disks with a partition table, or what is left of one.
func tableCases() map[string]deviceCase {
	return map[string]deviceCase{
		"GPT": {put: static(script("label: gpt\n")), want: []Step{StepSignatures}, text: "gpt"},
		"GPT with an empty partition": {
			put: static(script("label: gpt\nstart=1MiB\n")), want: []Step{StepPartitions}, text: "partition",
		},
		"MBR": {put: static(script("label: dos\n")), want: []Step{StepSignatures}, text: "dos"},
		"MBR with an empty partition": {put: static(script("label: dos\nstart=1MiB\n")), want: []Step{StepPartitions},
			text: "partition"},
		"nothing but the second GPT": {
			put: static(func(t *testing.T, n *nodeDisk) {
				script("label: gpt\n")(t, n)
				n.write(t, 0, make([]byte, mebibyte))
				n.run(t, "blockdev", "--rereadpt", n.want.Path)
			}),
			want: []Step{StepPartitions, StepSignatures}, text: "",
		},
	}
}

// unsignedCases are disks on which no tool finds anything.
func unsignedCases() map[string]deviceCase {
	data := func(offset func(size int64) int64, text string) deviceCase {
		return deviceCase{
			put:  static(func(t *testing.T, n *nodeDisk) { n.write(t, offset(n.size), []byte{1}) }),
			want: []Step{StepContent}, text: text,
		}
	}
	return map[string]deviceCase{
		"a byte in the first MiB": data(func(int64) int64 { return 700000 }, "data at byte 700000"),
		"the last byte": data(func(size int64) int64 {
			return size - 1
		}, "data 1 bytes before its end"),
		"a byte in the middle": data(func(size int64) int64 { return size / 2 }, "without a signature"),
		"ext4 that lost its superblock": {put: static(func(t *testing.T, n *nodeDisk) {
			loseSuperblock(t, n)
		}), want: []Step{StepContent}, text: "without a signature"},
		"ext4 that lost its superblock, 2 KiB": {put: static(func(t *testing.T, n *nodeDisk) {
			loseSuperblock(t, n, "-b", "2048")
		}), want: []Step{StepContent}, text: "without a signature"},
		"data where our partition's labels will be": data(func(int64) int64 { return 5 * mebibyte }, "data at byte 5242880"),
	}
}

func putExt4(t *testing.T, n *nodeDisk) {
	t.Helper()
	n.run(t, "mkfs.ext4", "-q", "-F", n.want.Path)
}

// loseSuperblock leaves nothing of ext4 but what is beyond the margins: its copies of the superblock among it.
func loseSuperblock(t *testing.T, n *nodeDisk, options ...string) {
	t.Helper()
	n.run(t, append(append([]string{"mkfs.ext4", "-q", "-F"}, options...), n.want.Path)...)
	n.settle(t)
	n.write(t, 0, make([]byte, 9*mebibyte))
	n.write(t, n.size-10*mebibyte, make([]byte, 10*mebibyte))
}

// fatBootSector is what mkfs.vfat begins a filesystem with: ext4 leaves its place free.
func fatBootSector(t *testing.T, n *nodeDisk) []byte {
	t.Helper()
	file := poolFile(t, n)
	n.run(t, "mkfs.vfat", file)
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return content[:512]
}

func putLUKS(t *testing.T, n *nodeDisk) {
	t.Helper()
	n.feed(t, "a passphrase", "cryptsetup", "luksFormat", "-q", "--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000",
		"--key-file", "-", n.want.Path)
}

// script partitions the disk as sfdisk is told.
func script(text string) func(*testing.T, *nodeDisk) {
	return func(t *testing.T, n *nodeDisk) { n.feed(t, text, "sfdisk", "-q", n.want.Path) }
}

// write changes bytes of the disk.
func (n *nodeDisk) write(t *testing.T, offset int64, data []byte) {
	t.Helper()
	file, err := os.OpenFile(n.path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteAt(data, offset)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		t.Fatal(err)
	}
}
