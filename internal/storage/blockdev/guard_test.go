// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
)

func TestCheckRefusesTheWrongDisk(t *testing.T) {
	const byID = "/dev/disk/by-id/"
	refuseAll(t, map[string]refusal{
		"host: not the node's processes": {lines: replace("pid:[4026531836]", "pid:[4026532999]"), step: StepHost,
			text: "hostPID is missing"},
		"host: no process namespace": {lines: func(l string) string {
			return without(l, "ns/pid")
		}, step: StepHost, text: "process namespace"},
		"host: no mounts of process 1": {lines: func(l string) string {
			return without(l, "/proc/1/mountinfo")
		}, step: StepHost, text: "mounts of process 1"},
		"host: mounts cannot be read": {lines: replace(" - ext4 /dev/vda", " ext4 /dev/vda"), step: StepHost,
			text: "mountinfo: unexpected line"},
		"host: no configfs": {lines: func(l string) string {
			return without(l, "/proc/1/root/sys")
		}, step: StepHost, text: "the host's /sys"},
		"pools: zpool status fails": {answers: fails("host zpool status", 1), step: StepPools,
			text: "list devices of all pools"},
		"pools: zpool import fails": {answers: fails("host zpool import", 1), step: StepPools,
			text: "list importable pools"},
		"host: sysfs has a strange number": {lines: replace("/sys/block/vdf/dev\t254:80", "/sys/block/vdf/dev\tx"),
			step: StepHost, text: "not a device number"},
		"path: elsewhere": {want: path("/tmp/d0", "zfsbench-d0"), step: StepPath, text: "not below /dev"},
		"path: climbs out": {want: path("/dev/../etc/passwd", "zfsbench-d0"), step: StepPath,
			text: "not below /dev"},
		"path: nothing there": {want: path(byID+"virtio-zfsbench-d9", "zfsbench-d9"), step: StepPath,
			text: "leads nowhere"},
		"path: leads out of /dev": {lines: add("link\t/dev/disk/by-id/x\t../../../etc/disk\n" +
			"file\t/etc/disk\t254:32\n"), want: path(byID+"x", "zfsbench-d0"), step: StepPath, text: "/etc/disk"},
		"path: no device": {lines: add("file\t/dev/x\thello\n"), want: path("/dev/x", "zfsbench-d0"),
			step: StepPath, text: "not a block device"},
		"path: name and number disagree": {lines: add("device\t/dev/vdx\t254:32\n"), want: path("/dev/vdx", "zfsbench-d0"),
			step: StepPath, text: "the kernel calls vdc"},
		"path: unknown number": {lines: add("device\t/dev/vdx\t254:240\n"), want: path("/dev/vdx", "zfsbench-d0"),
			step: StepPath, text: "knows no block device 254:240"},
		"kind: a partition": {want: path(byID+"virtio-zfsbench-d1-part1", ""), step: StepKind,
			text: "vdd1 is a partition of vdd"},
		"kind: a mapping": {want: path("/dev/mapper/zbcap", ""), step: StepKind,
			text: "dm-0 is not known to be a whole disk"},
		"kind: a loop device": {want: path("/dev/loop0", ""), step: StepKind,
			text: "loop0 is not known to be a whole disk"},
		"kind: two paths to one disk": {lines: replace("vdf/serial\tzfsbench-d3", "vdf/serial\tzfsbench-d0"), step: StepKind,
			text: "vdf has the same identity"},
		"kind: strange sectors": {lines: replace("/sys/block/vdc/queue/logical_block_size\t512",
			"/sys/block/vdc/queue/logical_block_size\t520"), step: StepKind, text: "sectors have 520 bytes"},
		"kind: one WWID twice": {
			lines: add("file\t/sys/block/vdc/wwid\tnaa.5\nfile\t/sys/block/vdf/device/wwid\tnaa.5\n"), step: StepKind,
			text: "vdf has the same identity",
		},
		"serial: another": {want: func(w *Want) {
			w.Serial = "zfsbench-d1"
		}, step: StepSerial, text: `its serial number is "zfsbench-d0", the policy promises "zfsbench-d1"`},
		"serial: none": {answers: answer("local lsblk -dno SERIAL /dev/vdc", "\n"), step: StepSerial,
			text: "no serial number"},
		"serial: unknown": {answers: fails("local lsblk -dno SERIAL /dev/vdc", 32), step: StepSerial,
			text: "cannot be read"},
		"serial: kernel's own": {lines: replace("/sys/block/vdc/serial\tzfsbench-d0", "/sys/block/vdc/serial\tother"),
			step: StepSerial, text: `the kernel says that its serial number is "other"`},
		"size: larger": {want: func(w *Want) {
			w.SizeBytes--
		}, step: StepSize, text: "it has 1073741824 bytes, the policy promises 1073741823"},
		"size: too small": {
			lines: replace("/sys/block/vdc/size\t2097152", "/sys/block/vdc/size\t2048"), want: func(w *Want) {
				w.SizeBytes = mebibyte
			}, step: StepSize, text: "OpenZFS needs",
		},
		"read-only": {
			want: func(w *Want) {
				*w = Want{Name: "config", Path: byID + "virtio-zfsbench-config", Serial: "zfsbench-config", SizeBytes: 786432 * 512}
			}, step: StepReadOnly, text: "read-only",
		},
	})
}

func TestCheckRefusesADiskInUse(t *testing.T) {
	const byID = "/dev/disk/by-id/virtio-zfsbench-"
	refuseAll(t, map[string]refusal{
		"partitions":         {want: path(byID+"d1", "zfsbench-d1"), step: StepPartitions, text: "vdd1, vdd2"},
		"holders: a mapping": {want: path(byID+"d2", "zfsbench-d2"), step: StepHolders, text: "dm-0"},
		"holders: found by slaves": {lines: func(l string) string {
			return without(l, "/sys/block/vde/holders")
		}, want: path(byID+"d2", "zfsbench-d2"), step: StepHolders, text: "dm-0"},
		"system: the root disk": {
			want: func(w *Want) {
				*w = Want{Name: "root", Path: byID + "root", Serial: "zfsbench-root", SizeBytes: 41943040 * 512}
			}, step: StepSystem, text: "the node's / is on it",
		},
		"system: kubelet": {
			lines: replace("file\t/proc/1/mountinfo\t",
				`file	/proc/1/mountinfo	99 29 254:32 / /var/lib/kubelet rw - ext4 /dev/vdc rw\n`), step: StepSystem,
			text: "/var/lib/kubelet",
		},
		"system: btrfs has no device number": {
			lines: replace("file\t/proc/1/mountinfo\t", `file	/proc/1/mountinfo	99 29 0:99 / /boot rw - btrfs /dev/vdc rw\n`),
			step:  StepSystem, text: "/boot",
		},
		"mounts: in another namespace": {
			lines: replace("file\t/proc/30857/mountinfo\t",
				`file	/proc/30857/mountinfo	99 29 254:32 / /mnt/with\\040space rw - ext4 /dev/vdc rw\n`), step: StepMounts,
			text: "it is mounted at /mnt/with space (ext4)",
		},
		"swap": {lines: replace("/dev/vdd2  ", "/dev/vdc  "), step: StepSwap,
			text: "the node swaps to /dev/vdc"},
		"swap: who knows where": {lines: replace("/dev/vdd2  ", "/dev/gone  "), step: StepSwap,
			text: "the node swaps to /dev/gone, which may be it"},
		"backing: a loop device": {
			want: path(byID+"d3", "zfsbench-d3"), step: StepBacking, text: "/dev/loop0 is made of it",
		},
		"backing: a loop device of a node elsewhere": {lines: loopOf("/var/lib/kubelet/x", "254:32"), step: StepBacking,
			text: "/dev/loop0 is made of it"},
		"backing: a loop device of another": {lines: loopOn("7:1", "254:32"), step: StepBacking,
			text: "is made of it"},
		"backing: a loop device that does not answer": {lines: loopOf("/x", "EIO"), step: StepHost,
			text: "/dev/loop0, a loop device, may be made of any disk"},
		"backing: a loop device of a disk that is gone": {
			lines: loopOf("/x", "254:240"), step: StepHost, text: "it is made of 254:240, which the kernel does not list",
		},
		"backing: a bound loop device without a node": {
			lines: func(l string) string {
				return without(free(l), "/dev/loop0")
			}, step: StepHost, text: "/dev/loop0, a loop device",
		},
		"backing: a loop device of another number": {
			lines: replace("/dev/loop0\t7:0", "/dev/loop0\t7:1"), step: StepHost,
			text: "its node in /dev has the number 7:1 instead of 7:0",
		},
		"mounts: a pod has its node": {
			lines: replace("file\t/proc/30857/mountinfo\t",
				`file	/proc/30857/mountinfo	99 29 0:5 /vdc /var/lib/kubelet/plugins/pv/pod rw - devtmpfs devtmpfs rw\n`),
			step: StepMounts, text: "its device node is mounted at /var/lib/kubelet/plugins/pv/pod",
		},
		"backing: LIO, a file that is a device": {
			lines: add("file\t/proc/1/root/sys/kernel/config/target/core/fileio_0/f/info\t" +
				`Status: ACTIVATED\n        TCM FILEIO ID: 0        File: /srv/x  Size: 1073741824  Mode: O_DSYNC Async: 0` + "\n" +
				"link\t/proc/1/root/srv/x\t/dev/vdc\n"),
			step: StepBacking, text: "the LIO target is made of it",
		},
		"backing: a target's device that is nowhere": {
			lines: add("file\t/proc/1/root/sys/kernel/config/nvmet/subsystems/s/namespaces/1/device_path\t/srv/gone\n"),
			step:  StepBacking, text: "the NVMe target serves /srv/gone, which cannot be found",
		},
		"backing: SCST": {
			lines: add("file\t/proc/1/root/sys/kernel/scst_tgt/devices/d/filename\t/dev/vdc\\n[key]\n"), step: StepBacking,
			text: "the SCST target",
		},
		"backing: LIO": {
			lines: add("file\t/proc/1/root/sys/kernel/config/target/core/iblock_0/lun/udev_path\t/dev/vdc\n"), step: StepBacking,
			text: "the LIO target",
		},
		"backing: NVMe over fabrics": {
			lines: add("file\t/proc/1/root/sys/kernel/config/nvmet/subsystems/s/namespaces/1/device_path\t" + byID + "d0\n"),
			step:  StepBacking, text: "the NVMe target",
		},
		"pools: imported": {answers: answer("host zpool status", "\t    /dev/vdc1  ONLINE  0 0 0\n"), step: StepPools,
			text: "an imported pool names it as /dev/vdc1"},
		"pools: a device that is missing": {
			answers: answer("host zpool status", "\t    123  UNAVAIL  0 0 0  was "+byID+"d0-part1\n"), step: StepPools,
			text: "an imported pool names it",
		},
		"pools: exported": {
			answers: answer("host zpool import",
				"   pool: tank\n     id: 1\n  state: ONLINE\n config:\n\n\ttank  ONLINE\n\t  /dev/vdc  ONLINE\n"), step: StepPools,
			text: "the exported pool tank names it as /dev/vdc",
		},
		"pools: destroyed": {
			answers: answer("host zpool import -D",
				"   pool: tank\n     id: 1\n  state: ONLINE (DESTROYED)\n config:\n\n\ttank  ONLINE\n\t  "+byID+"d0  ONLINE\n"),
			step: StepPools, text: "the destroyed pool tank",
		},
		"open in a process": {lines: func(l string) string {
			return l
		}, step: StepOpen, text: "it is open in process 30840 (bash)"},
		"open by SCSI generic": {
			lines: add("file\t/sys/block/vdc/device/scsi_generic/sg2/dev\t21:2\ndevice\t/dev/sg2\tc21:2\n" +
				"link\t/proc/30840/fd/7\t/dev/sg2\n"),
			step: StepOpen, text: "it is open as /dev/sg2 in process 30840 (bash)",
		},
		"open by bsg": {
			lines: add("file\t/sys/block/vdc/device/bsg/0:0:0:1/dev\t253:1\ndevice\t/dev/other\tc253:1\n" +
				"link\t/proc/30840/fd/7\t/dev/other\n"),
			step: StepOpen, text: "it is open as /dev/0:0:0:1",
		},
		"open by a thread with descriptors of its own": {
			lines: add("link\t/proc/30840/task/30841/fd/7\t/dev/vdc\n"), step: StepOpen,
			text: "it is open in process 30840 (bash)",
		},
		"mapped, and closed": {
			lines: add("file\t/proc/30840/maps\t00400000-00500000 rw-s 00000000 00:05 77 /dev/vdc\n" +
				"link\t/proc/30840/map_files/400000-500000\t/dev/vdc\n"),
			step: StepOpen, text: "it is open in process 30840 (bash)",
		},
		"maps that nobody understands": {lines: add("file\t/proc/30840/maps\tgarbage\n"), step: StepOpen,
			text: "maps: unexpected line"},
		"held by an io_uring": {
			lines: ring(`pos: 0\nUserFiles:\t2\n    0: <none>\n    1: vdc\n`), step: StepOpen,
			text: "it is open as /dev/vdc in process 30840 (bash)",
		},
		"held by an io_uring, as the character device": {
			lines: func(l string) string {
				return ring(`UserFiles:\t1\n    0: /dev/sg2\n`)(l) + "file\t/sys/block/vdc/device/scsi_generic/sg2/dev\t21:2\n"
			},
			step: StepOpen, text: "it is open as /dev/sg2",
		},
		"held by an io_uring, as a node made elsewhere": {
			lines: func(l string) string {
				return ring(`UserFiles:\t1\n    0: /srv/mine\n`)(l) + "link\t/proc/30840/root/srv/mine\t/dev/vdc\n"
			},
			step: StepOpen, text: "it is open in process 30840 (bash)",
		},
		"held by an io_uring, a node that is gone": {
			lines: ring(`UserFiles:\t1\n    0: /srv/mine\\040(deleted)\n`), step: StepOpen, text: "does not say which files",
		},
		"held by an io_uring, its own node, removed": {
			lines: ring(`UserFiles:\t1\n    0: /dev/vdc\\040(deleted)\n`), step: StepOpen,
			text: "it is open as /dev/vdc in process 30840",
		},
		"held by an io_uring, where nobody sees it": {
			lines: ring(`UserFiles:\t1\n    0: /elsewhere/vdx\n`), step: StepOpen, text: "does not say which files",
		},
		"an io_uring that is busy": {lines: ring(`pos: 0\nUserFiles:\t2\nUserBufs:\t0\n`), step: StepOpen,
			text: "the kernel does not say which files the io_uring of a process holds: process 30840 (bash)"},
		"open: taken": {disk: func(d *memoryDisk) { d.busy = true }, step: StepOpen, text: "it is in use"},
		"open: exchanged": {disk: func(d *memoryDisk) {
			d.number = Number{254, 33}
		}, step: StepContent, text: "is now 254:33"},
		"open: driver disagree": {disk: func(d *memoryDisk) { d.sizeBytes-- }, step: StepContent, text: "its driver says"},
	})
}

// TestCheckRefusesAPersistentVolume by every name that leads to the disk.
func TestCheckRefusesAPersistentVolume(t *testing.T) {
	const host = "/proc/1/root"
	tests := map[string]struct {
		path, lines, text string
	}{
		"by the policy's path":     {path: "/dev/disk/by-id/virtio-zfsbench-d0", text: "PersistentVolume pv names it"},
		"by the kernel's name":     {path: "/dev/vdc", text: "PersistentVolume pv names it, as /dev/vdc"},
		"a partition that is gone": {path: "/dev/vdc1", text: "PersistentVolume pv names it"},
		"by a link of the host": {
			path: "/mnt/disks/a", lines: "link\t" + host + "/mnt/disks/a\t/mnt/disks/b\nlink\t" + host +
				"/mnt/disks/b\t/dev/vdc\n", text: "PersistentVolume pv names it",
		},
		"what cannot be looked at": {path: "/mnt/loop", lines: "link\t" + host + "/mnt/loop\t/mnt/loop\n",
			text: "which cannot be looked at and may be it"},
		"another disk":             {path: "/dev/vdf"},
		"a directory":              {path: "/mnt", lines: "file\t" + host + "/mnt\tfiles\n"},
		"what is not on this node": {path: "/mnt/disks/ssd7"},
		"a disk that is not here":  {path: "/dev/disk/by-id/wwn-0x5"},
		"what is below a file":     {path: "/mnt/a/b", lines: "file\t" + host + "/mnt/a\tfiles\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, free(fixture(t, "node-busy-linux-6.12.107"))+test.lines)
			b.guard.volumes = []Volume{{Name: "pv", Path: test.path}}
			_, err := b.guard.Check(t.Context(), wantD0())
			if test.text == "" && err != nil || test.text != "" && (err == nil || !strings.Contains(err.Error(), test.text)) {
				t.Errorf("error %v, want %q", err, test.text)
			}
		})
	}
}

// ring gives a process an io_uring.
func ring(fdinfo string) func(string) string {
	return add("link\t/proc/30840/fd/9\tanon_inode:[io_uring]\nfile\t/proc/30840/fdinfo/9\t" + fdinfo + "\n")
}

// TestGenericDevices finds the character devices of an NVMe namespace, with one controller and with several.
func TestGenericDevices(t *testing.T) {
	root := plant(t, "dir\t/sys/devices/nvme0/ng0n1\nfile\t/sys/devices/nvme0/dev\t241:0\n"+
		"file\t/sys/devices/nvme0/ng0n1/dev\t240:0\n"+
		"file\t/sys/devices/nvme0/ng0n2/dev\t240:1\nlink\t/sys/block/nvme0n1/device\t../../devices/nvme0\n"+
		"file\t/sys/devices/nvme3/dev\t241:3\nfile\t/sys/devices/subsys1/ng1n1/dev\t240:2\n"+
		"link\t/sys/devices/subsys1/nvme3\t../nvme3\n"+
		"link\t/sys/devices/subsys1/nvme0\t../nvme0\nlink\t/sys/block/nvme1n1/device\t../../devices/subsys1\n")
	tests := map[string]map[Number]string{
		"nvme0n1": {{240, 0}: "/dev/ng0n1", {241, 0}: "/dev/nvme0"},
		"nvme0n2": {},
		"nvme1n1": {{240, 2}: "/dev/ng1n1", {241, 0}: "/dev/nvme0", {241, 3}: "/dev/nvme3"},
		"sda":     {},
	}
	for disk, want := range tests {
		got, err := (machine{root: root}).genericDevices(disk)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: error %v (-want +got):\n%s", disk, err, diff)
		}
	}
}

// loopOf makes the captured loop device one of a path and what the kernel says is behind it.
func loopOf(path, behind string) func(string) string {
	return func(lines string) string {
		return add("file\t/ioctl/loop0\t" + behind +
			"\n")(strings.ReplaceAll(lines, "backing_file\t/dev/vdf", "backing_file\t"+path))
	}
}

// loopOn makes the captured loop device one of a loop device of something.
func loopOn(other, behind string) func(string) string {
	return func(lines string) string {
		return add("file\t/ioctl/loop1\t" + behind +
			"\nfile\t/sys/block/loop1/loop/backing_file\t/y\n")(loopOf("/x", other)(lines))
	}
}

// TestLoopDevicesOfFilesRefuseNothing: nodes with snaps have dozens.
func TestLoopDevicesOfFilesRefuseNothing(t *testing.T) {
	b := newBench(t, loopOf("/var/lib/snapd/snaps/core22_1.snap", "0:0")(free(fixture(t, "node-busy-linux-6.12.107"))))
	for _, want := range []Want{wantD0(),
		{Name: "d3", Path: "/dev/disk/by-id/virtio-zfsbench-d3", Serial: "zfsbench-d3", SizeBytes: gibibyte}} {
		if _, err := b.guard.Check(t.Context(), want); err != nil && want.Name == "d0" {
			t.Error(err)
		} else if err != nil && strings.Contains(err.Error(), "loop") {
			t.Error(err)
		}
	}
}

func TestLoopBacking(t *testing.T) {
	tests := map[uint64]Number{
		0:                       {},
		8<<8 | 16:               {8, 16},
		259<<8 | 3:              {259, 3},
		0x12300000 | 259<<8 | 4: {259, 0x12304},
	}
	for rdevice, want := range tests {
		if got := loopBacking(rdevice); got != want {
			t.Errorf("%#x: %s, want %s", rdevice, got, want)
		}
	}
}

func TestCheckRefusesADiskThatIsNotBlank(t *testing.T) {
	signed := func(kind string) refusal {
		return refusal{answers: answer("local blkid -p -o export /dev/vdc", fixture(t, "blkid-"+kind+"-2.41.5")),
			step: StepSignatures, text: kind}
	}
	tests := map[string]refusal{
		"GPT": {answers: answer("local blkid -p -o export /dev/vdc", fixture(t, "blkid-gpt-2.41.5")),
			step: StepSignatures, text: "partition table gpt (blkid)"},
		"MBR": {answers: answer("local blkid -p -o export /dev/vdc", fixture(t, "blkid-mbr-2.41.5")),
			step: StepSignatures, text: "partition table dos (blkid)"},
		"OpenZFS": {answers: answer("local blkid -p -o export /dev/vdc", fixture(t, "blkid-zfs-2.41.5")),
			step: StepSignatures, text: "zfs_member"},
		"ambiguous":   {answers: fails("local blkid", 8), step: StepSignatures, text: "contradict each other"},
		"blkid fails": {answers: fails("local blkid", 4), step: StepSignatures, text: "blkid could not look at it"},
		"blkid with a word": {answers: []hostexectest.Answer{{Match: "local blkid", Code: 2, Stderr: "permission denied"}},
			step: StepSignatures, text: "blkid could not look at it"},
		"blkid says nothing": {answers: answer("local blkid", ""), step: StepSignatures, text: "said nothing"},
		"blkid garbage":      {answers: answer("local blkid", "garbage\n"), step: StepSignatures, text: "unexpected line"},
		"blkid unnamed": {answers: answer("local blkid", "DEVNAME=x\n"), step: StepSignatures,
			text: "blkid does not name"},
		"behind a wiped table": {
			answers: answer("local blkid -p -o export -O 1048576", fixture(t, "blkid-inside-2.41.5")), step: StepSignatures,
			text: "signature ext4 at 1 MiB, where a wiped partition may have begun",
		},
		"wipefs sees what blkid does not": {answers: answer("local wipefs", fixture(t, "wipefs-both-2.41.5")),
			step: StepSignatures, text: "xfs at 0x0 (wipefs); signature ext4 at 0x438 (wipefs)"},
		"wipefs fails": {answers: fails("local wipefs", 1), step: StepSignatures,
			text: "wipefs could not look at it"},
		"wipefs garbage": {answers: answer("local wipefs", "{"), step: StepSignatures, text: "wipefs: "},
		"lsblk fails": {answers: fails("local lsblk --json", 32), step: StepSignatures,
			text: "lsblk could not look at it"},
		"lsblk: another disk": {answers: answer("local lsblk --json",
			strings.ReplaceAll(fixture(t, "lsblk-root-2.41.5"), `"/"`, "null")), step: StepSignatures,
			text: "the name is vda instead of vdc"},
		"lsblk: partitions": {answers: answer("local lsblk --json", fixture(t, "lsblk-partition-2.41.5")),
			step: StepSignatures, text: "partition table gpt (lsblk); partitions or mappings (lsblk)"},
		"lsblk: nothing": {answers: answer("local lsblk --json", `{"blockdevices":[]}`), step: StepSignatures,
			text: "0 devices instead of one"},
		"content: first MiB": {disk: func(d *memoryDisk) {
			d.put(mebibyte-1, 1)
		}, step: StepContent, text: "data at byte 1048575"},
		"content: last MiB": {disk: func(d *memoryDisk) {
			d.put(gibibyte-mebibyte, 1)
		}, step: StepContent, text: "data 1048576 bytes before its end"},
		"content: last byte": {disk: func(d *memoryDisk) {
			d.put(gibibyte-1, 1)
		}, step: StepContent, text: "data 1 bytes before its end"},
		"content: the margin": {disk: func(d *memoryDisk) {
			d.put(9*mebibyte-1, 1)
		}, step: StepContent, text: "data at byte 9437183, without a signature"},
		"content: the margin at the end": {disk: func(d *memoryDisk) {
			d.put(gibibyte-9*mebibyte, 1)
		}, step: StepContent, text: "data at byte 1064304640, without a signature"},
		"content: a quarter": {disk: func(d *memoryDisk) {
			d.put(gibibyte/4, 1)
		}, step: StepContent, text: "unsignedData: Overwrite"},
		"content: the middle": {disk: func(d *memoryDisk) {
			d.put(gibibyte/2+5000, 1)
		}, step: StepContent, text: "data at byte 536875912"},
		"content: ext4's second copy": {disk: func(d *memoryDisk) {
			d.put(128*mebibyte+56, 0x53)
		}, step: StepContent, text: "data at byte 134217784"},
		"content: a copy behind 1 MiB": {disk: func(d *memoryDisk) {
			d.put(129*mebibyte+56, 0x53)
		}, step: StepContent, text: "data at byte 135266360"},
		"content: unreadable middle": {disk: func(d *memoryDisk) {
			d.unreadable = gibibyte / 2
		}, step: StepContent, text: "cannot be read"},
		"content: unreadable": {disk: func(d *memoryDisk) {
			d.unreadable = 0
		}, step: StepContent, text: "first MiB cannot be read"},
		"content: unreadable end": {disk: func(d *memoryDisk) {
			d.unreadable = gibibyte - 1
		}, step: StepContent, text: "last MiB cannot be read"},
		"labels": {
			answers: answer("host zdb -l", "LABEL 0 \n    name: 'tank'\n"), step: StepLabels, text: `labels of pool "tank"`,
		},
		"labels: unknown": {answers: fails("host zdb -l", 1), step: StepLabels, text: "nobody can say"},
	}
	for _, kind := range []string{"ext4", "xfs", "swap"} {
		tests[kind] = signed(kind)
	}
	refuseAll(t, tests)
}

func TestCheckAllRefusesOneDiskUnderTwoNames(t *testing.T) {
	b := newBench(t, free(fixture(t, "node-busy-linux-6.12.107")))
	again := wantD0()
	again.Name, again.Path = "d9", "/dev/vdc"
	verdicts := b.guard.CheckAll(t.Context(), []Want{wantD0(), again})
	var refused *Refusal
	if verdicts[0].Refusal != nil || !errors.As(verdicts[1].Refusal, &refused) || refused.Device != "d9" {
		t.Errorf("verdicts %+v", verdicts)
	}
}

// TestRefusedDiskIsNamed: who looks for the reason of a refusal wants to know which disk it is about.
func TestRefusedDiskIsNamed(t *testing.T) {
	b := newBench(t, add("file\t/sys/block/vdc/device/model\tQEMU HARDDISK   \n"+
		"file\t/sys/block/vdc/device/rev\t2.5+\n")(fixture(t, "node-busy-linux-6.12.107")))
	other := wantD0()
	other.Serial = "another"
	verdict := b.guard.CheckAll(t.Context(), []Want{other})[0]
	want := Disk{Want: other, Device: "/dev/vdc", Number: Number{254, 32}, SectorBytes: 512, Sequence: "3",
		Model: "QEMU HARDDISK", Firmware: "2.5+"}
	if diff := cmp.Diff(want, verdict.Disk); diff != "" || verdict.Refusal == nil {
		t.Errorf("refusal %v, disk (-want +got):\n%s", verdict.Refusal, diff)
	}
}

func TestCheckEndsWithTheContext(t *testing.T) {
	b := newBench(t, free(fixture(t, "node-busy-linux-6.12.107")))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.guard.Check(ctx, wantD0()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

func TestWholeDisk(t *testing.T) {
	accepted := map[string]bool{
		"sda": true, "sdab": true, "vdc": true, "xvdf": true, "nvme0n1": true, "nvme10n12": true, "mmcblk0": true,
		"pmem0": true,
		"sda1":  false, "nvme0n1p1": false, "nvme0c0n1": false, "mmcblk0boot0": false, "dm-0": false, "md0": false,
		"md127": false, "bcache0": false,
		"drbd0": false, "loop0": false, "zd0": false, "nbd0": false, "rbd0": false, "ram0": false, "zram0": false,
		"sr0": false, "fd0": false, "": false,
	}
	for name, want := range accepted {
		if got := wholeDisk().MatchString(name); got != want {
			t.Errorf("%q: accepted %v, want %v", name, got, want)
		}
	}
}
