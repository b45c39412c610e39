// SPDX-License-Identifier: Apache-2.0

//go:build node

package blockdev

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// nodeHolder is the variable that makes this program hold a disk in place of running tests: the way, a colon, the
// path.
const nodeHolder = "ZFSBENCH_NODE_HOLDER"

func TestMain(m *testing.M) {
	way, path, held := strings.Cut(os.Getenv(nodeHolder), ":")
	if !held {
		os.Exit(m.Run())
	}
	if err := holders()[way](path); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	time.Sleep(time.Hour)
}

// holders hold a disk without a descriptor of the process.
func holders() map[string]func(path string) error {
	return map[string]func(string) error{"mmap": holdByMapping, "uring": holdByRing, "thread": holdByThread}
}

func holdByMapping(path string) error {
	fd, err := unix.Open(path, unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	if _, err := unix.Mmap(fd, 0, 4096, unix.PROT_READ, unix.MAP_SHARED); err != nil {
		return err
	}
	return unix.Close(fd)
}

// holdByRing registers the disk with an io_uring.
func holdByRing(path string) error {
	const ioringRegisterFiles = 2
	var parameters [120]byte
	ring, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 8, uintptr(unsafe.Pointer(&parameters)), 0)
	if errno != 0 {
		return errno
	}
	fd, err := unix.Open(path, unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	files := [1]int32{int32(fd)}
	list := uintptr(unsafe.Pointer(&files))
	if _, _, errno := unix.Syscall6(unix.SYS_IO_URING_REGISTER, ring, ioringRegisterFiles, list, 1, 0, 0); errno != 0 {
		return errno
	}
	return unix.Close(fd)
}

// holdByThread opens the disk in a thread with descriptors of its own, which must not run anything else of the
// runtime's.
func holdByThread(path string) error {
	failed := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		err := unix.Unshare(unix.CLONE_FILES)
		if err == nil {
			_, err = unix.Open(path, unix.O_RDONLY, 0)
		}
		failed <- err
		for {
			_ = unix.Pause()
		}
	}()
	return <-failed
}

// heldCases are disks that are held in ways that leave no descriptor behind, or not where one would look.
func heldCases() map[string]deviceCase {
	by := func(way, text string) deviceCase {
		return deviceCase{want: []Step{StepOpen}, text: text, put: func(t *testing.T, n *nodeDisk) func() {
			command := []string{"env", nodeHolder + "=" + way + ":" + n.want.Path, "/proc/" + fmt.Sprint(os.Getpid()) + "/exe"}
			return n.hold(t, func() bool { return n.heldAnywhere(t) }, command...)
		}}
	}
	return map[string]deviceCase{
		"mapped, its descriptor closed":                by("mmap", "open in process"),
		"held by an io_uring alone":                    by("uring", "in process"),
		"open in a thread with descriptors of its own": by("thread", "open in process"),
		"a PersistentVolume by the kernel's name":      volume(func(*testing.T, *nodeDisk, string) {}, ""),
		"a PersistentVolume by a link": volume(func(t *testing.T, _ *nodeDisk, device string) {
			symlink(t, device, nodeVolume)
		}, nodeVolume),
		"a PersistentVolume by a node made elsewhere": volume(func(t *testing.T, n *nodeDisk, _ string) {
			n.makeNode(t, nodeVolume)
		}, nodeVolume),
		"a node of it is mounted, as for a pod":          mountedNode(),
		"a loop device of such a node, as the kubelet's": loopOfMountedNode(),
		"backing a loop device by a node made elsewhere": loopCase(),
		"backing a loop device by a node that is gone":   loopCase(removeNode),
		"backing a loop device on a loop device": {
			put: func(t *testing.T, n *nodeDisk) func() {
				first := strings.TrimSpace(n.run(t, "losetup", "--read-only", "--find", "--show", n.want.Path))
				second := strings.TrimSpace(n.run(t, "losetup", "--read-only", "--find", "--show", first))
				return func() { n.run(t, "losetup", "--detach", second); n.run(t, "losetup", "--detach", first) }
			},
			want: []Step{StepBacking}, text: "loop",
		},
	}
}

// nodeVolume is another name for the disk, outside of /dev.
const nodeVolume = "/var/lib/zfsbench-node-volume"

// volume is a case in which a PersistentVolume names the disk, by a path or, if that is empty, by the kernel's name.
func volume(put func(t *testing.T, n *nodeDisk, device string), path string) deviceCase {
	return deviceCase{want: []Step{StepVolumes}, text: "PersistentVolume pv", put: func(t *testing.T, n *nodeDisk) func() {
		device := strings.TrimSpace(n.run(t, "readlink", "-f", n.want.Path))
		put(t, n, device)
		name := path
		if name == "" {
			name = device
		}
		n.guard.volumes = []Volume{{Name: "pv", Path: name}}
		return func() { n.guard.volumes = nil; removeNode(t) }
	}}
}

// mountNode mounts the disk's device node by itself, as the kubelet does it for a pod.
func (n *nodeDisk) mountNode(t *testing.T) {
	t.Helper()
	n.run(t, "touch", nodeVolume)
	n.run(t, "mount", "--bind", strings.TrimSpace(n.run(t, "readlink", "-f", n.want.Path)), nodeVolume)
}

// mountedNode is a case in which the disk's device node is mounted by itself.
func mountedNode() deviceCase {
	return deviceCase{want: []Step{StepMounts}, text: "its device node is mounted at " + nodeVolume,
		put: func(t *testing.T, n *nodeDisk) func() {
			n.mountNode(t)
			return func() { n.run(t, "umount", nodeVolume); removeNode(t) }
		}}
}

// loopOfMountedNode is a case in which a loop device was made of such a node, which is not mounted any more: otherwise
// the mount alone refuses the disk.
func loopOfMountedNode() deviceCase {
	return deviceCase{want: []Step{StepBacking}, text: "/dev/loop", put: func(t *testing.T, n *nodeDisk) func() {
		n.mountNode(t)
		device := strings.TrimSpace(n.run(t, "losetup", "--find", "--show", nodeVolume))
		n.run(t, "umount", "--lazy", nodeVolume) // the loop device holds its node
		return func() { n.run(t, "losetup", "--detach", device); removeNode(t) }
	}}
}

// loopCase is a case in which a loop device is made of the disk by a device node made elsewhere; after is done then.
func loopCase(after ...func(t *testing.T)) deviceCase {
	return deviceCase{want: []Step{StepBacking}, text: "/dev/loop", put: func(t *testing.T, n *nodeDisk) func() {
		n.makeNode(t, nodeVolume)
		device := strings.TrimSpace(n.run(t, "losetup", "--find", "--show", nodeVolume))
		for _, do := range after {
			do(t)
		}
		return func() { n.run(t, "losetup", "--detach", device); removeNode(t) }
	}}
}

func symlink(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

// makeNode makes a device node of the disk.
func (n *nodeDisk) makeNode(t *testing.T, path string) {
	t.Helper()
	number := n.number(t)
	n.run(t, "mknod", path, "b", fmt.Sprint(number.Major), fmt.Sprint(number.Minor))
}

func removeNode(t *testing.T) {
	t.Helper()
	if err := os.Remove(nodeVolume); err != nil && !os.IsNotExist(err) {
		t.Error(err)
	}
}

// heldAnywhere says whether the holder has got the disk.
func (n *nodeDisk) heldAnywhere(t *testing.T) bool {
	t.Helper()
	open, err := n.guard.node.openDevices()
	if err != nil {
		t.Fatal(err)
	}
	device := strings.TrimSpace(n.run(t, "readlink", "-f", n.want.Path))
	return open.free(n.number(t)) != nil || open.freeOfRings([]string{filepath.Base(device)}) != nil
}

// TestNodeGenericDevices holds a disk by SCSI generic, where the kernel has a SCSI disk that can be tried.
func TestNodeGenericDevices(t *testing.T) {
	n := newNodeDisk(t)
	if err := unix.Access("/sys/module/scsi_debug", unix.F_OK); err != nil {
		t.Skip("modprobe scsi_debug and sg, which this kernel may not have")
	}
	disk := strings.TrimSpace(n.run(t, "sh", "-c", "ls -d /sys/bus/pseudo/devices/adapter0/host*/target*/*/block/*"))
	name := disk[strings.LastIndex(disk, "/")+1:]
	generic, err := n.guard.node.genericDevices(name)
	if err != nil || len(generic) == 0 {
		t.Fatalf("%s has character devices %v, error %v", name, generic, err)
	}
	for number, path := range generic {
		undo := n.hold(t, func() bool {
			open, err := n.guard.node.openDevices()
			return err == nil && len(open.character[number]) > 0
		}, "perl", "-MFcntl", "-e", "sysopen(my $f, $ARGV[0], O_RDONLY) or die $!; sleep 3600", path)
		open, err := n.guard.node.openDevices()
		if err != nil || open.freeOf(generic) == nil {
			t.Errorf("%s is not seen as open: %v", path, err)
		}
		t.Log(path, open.freeOf(generic))
		undo()
	}
}
