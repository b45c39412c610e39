// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"strings"
	"testing"
	"testing/synctest"

	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
)

// TestReleaseOfADiskInUse: it is looked at as a new one is, and so are its partitions.
func TestReleaseOfADiskInUse(t *testing.T) {
	const target = "file\t/proc/1/root/sys/kernel/config/"
	mounted := func(line string) func(string) string {
		return func(lines string) string {
			return strings.ReplaceAll(lines, "file\t/proc/30857/mountinfo\t", "file\t/proc/30857/mountinfo\t"+line+`\n`)
		}
	}
	tests := map[string]struct {
		// before changes the captured node, lines are added to it once the disk is ours.
		before func(string) string
		lines  string
		step   Step
		text   string
	}{
		"a loop device of the disk": {lines: "file\t/ioctl/loop0\t254:32\n", step: StepBacking,
			text: "/dev/loop0 is made of it"},
		"a loop device of a partition": {lines: "file\t/ioctl/loop0\t254:33\n", step: StepBacking,
			text: "/dev/loop0 is made of it"},
		"a loop device that does not say": {lines: "file\t/ioctl/loop0\tEIO\n", step: StepHost,
			text: "may be made of any disk"},
		"a storage target of the disk": {lines: target + "target/core/iblock_0/lun/udev_path\t/dev/vdc\n",
			step: StepBacking, text: "the LIO target"},
		"a storage target of the partition": {lines: target + "nvmet/subsystems/s/namespaces/1/device_path\t/dev/vdc1\n",
			step: StepBacking, text: "the NVMe target"},
		"mounted in a namespace": {
			before: mounted("99 29 254:33 / /mnt rw - ext4 /dev/vdc1 rw"), step: StepMounts, text: "it is mounted at /mnt",
		},
		"a pod has the disk's node": {
			before: mounted("99 29 0:5 /vdc /pod rw - devtmpfs devtmpfs rw"), step: StepMounts,
			text: "its device node is mounted at /pod",
		},
		"a pod has the partition's node": {
			before: mounted("99 29 0:5 /vdc1 /pod rw - devtmpfs devtmpfs rw"), step: StepMounts,
			text: "its device node is mounted at /pod",
		},
		"a partition under a mapping": {
			lines: "dir\t/sys/block/dm-9/slaves/vdc1\nfile\t/sys/block/dm-9/dev\t252:9\n", step: StepHolders, text: "dm-9",
		},
		"open in a process": {lines: "link\t/proc/30840/fd/7\t/dev/vdc1\n", step: StepOpen,
			text: "its partition vdc1: it is open in process 30840"},
		"open by SCSI generic": {
			lines: "file\t/sys/block/vdc/device/scsi_generic/sg2/dev\t21:2\ndevice\t/dev/sg2\tc21:2\n" +
				"link\t/proc/30840/fd/7\t/dev/sg2\n",
			step: StepOpen, text: "it is open as /dev/sg2 in process 30840",
		},
		"held by an io_uring": {lines: ring(`UserFiles:\t1\n    0: vdc\n`)(""), step: StepOpen,
			text: "it is open as /dev/vdc in process 30840"},
		"a partition is held by an io_uring": {lines: ring(`UserFiles:\t1\n    0: vdc1\n`)(""), step: StepOpen,
			text: "it is open as /dev/vdc1 in process 30840"},
		"an io_uring that keeps its files back": {lines: ring(`UserFiles:\t1\n`)(""), step: StepOpen,
			text: "does not say which files"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, disk := freeBench(t)
				b.mustPartition(t)
				if test.before != nil {
					lines := test.before(fixture(t, "node-busy-linux-6.12.107"))
					at := strings.Index(lines, "file\t/proc/30857/mountinfo")
					test.lines, _, _ = strings.Cut(lines[at:], "\n")
				}
				plantIn(t, b.root, test.lines)
				disk.writes = nil
				wantRefusal(t, b.guard.Release(t.Context(), ownedD0(), testComment), test.step, test.text)
				if len(disk.writes) > 0 {
					t.Errorf("a refused disk was written to: %q", disk.writes)
				}
			})
		})
	}
}

// TestReleaseOfAZeroedHead: somebody zeroed the first MiB of a disk whose table was complete. Its partition may have
// been used, so it is looked into, by the partition if the kernel still shows it.
func TestReleaseOfAZeroedHead(t *testing.T) {
	tests := map[string]struct {
		answers []hostexectest.Answer
		unseen  bool
		text    string
	}{
		"nothing inside":               {},
		"nothing inside, after reboot": {unseen: true},
		"a filesystem": {answers: answer("local wipefs --no-act --json /dev/vdc1",
			fixture(t, "wipefs-ext4-2.41.5")), text: "a signature ext4"},
		"a pool of somebody's": {answers: answer("host zdb -l /dev/vdc1",
			"LABEL 0 \n    name: 'tank'\n    comment: 'mine'\n"), text: `labels of pool "tank"`},
		"a filesystem, after reboot": {
			answers: answer("local blkid -p -o export -O", "TYPE=ext4\n"), unseen: true,
			text: "the kernel does not show it, but there is",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, disk := freeBench(t)
				b.mustPartition(t)
				b.rec.Prepend(test.answers...)
				for offset := int64(0); offset < mebibyte; offset += memoryBlock {
					delete(disk.blocks, offset)
				}
				if test.unseen {
					b.look(t, disk)
				}
				disk.writes = nil
				err := b.guard.Release(t.Context(), ownedD0(), testComment)
				if test.text == "" {
					if err != nil || len(disk.content()) > 0 {
						t.Errorf("error %v, left at %v", err, disk.content())
					}
					return
				}
				wantRefusal(t, err, StepOwnership, test.text)
				if len(disk.writes) > 0 {
					t.Errorf("a refused disk was written to: %q", disk.writes)
				}
			})
		})
	}
}

// TestReleaseOfATableThatChanges: what was looked into is not what is erased.
func TestReleaseOfATableThatChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, disk := freeBench(t)
		b.mustPartition(t)
		disk.onOpen = func() { delete(disk.blocks, 0) }
		disk.writes = nil
		wantRefusal(t, b.guard.Release(t.Context(), ownedD0(), testComment), StepOwnership,
			"changed its partition table meanwhile")
		if len(disk.writes) > 0 {
			t.Errorf("a refused disk was written to: %q", disk.writes)
		}
	})
}
