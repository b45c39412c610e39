// SPDX-License-Identifier: Apache-2.0

//go:build node

package blockdev

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestNodeReservation registers and reserves a disk of LIO's loopback, whose keys are somebody's.
func TestNodeReservation(t *testing.T) {
	n := newNodeDisk(t)
	disk := n.loopbackDisk(t)
	check := func(want string) {
		t.Helper()
		err := n.guard.checkReservation(t.Context(), nil, &Disk{Want: Want{Name: "x"}, Device: disk})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		t.Log(err)
	}
	check("")
	const register, reserve, clear = 0x401870c8, 0x401070c9, 0x401070cd // IOC_PR_REGISTER, RESERVE and CLEAR
	persistentReserve(t, disk, register, []uint64{0, 0x7a, 0})
	check("registered reservation keys")
	persistentReserve(t, disk, reserve, []uint64{0x7a, 1})
	check("a host has reserved it")
	persistentReserve(t, disk, clear, []uint64{0x7a, 0})
	check("")
}

func persistentReserve(t *testing.T, disk string, request uintptr, argument []uint64) {
	t.Helper()
	fd, err := unix.Open(disk, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request,
		uintptr(unsafe.Pointer(&argument[0]))); errno != 0 {
		t.Error(errno)
	}
	if err := unix.Close(fd); err != nil {
		t.Error(err)
	}
}

// loopbackDisk is a disk of LIO's loopback (tcm_loop), made of a file.
func (n *nodeDisk) loopbackDisk(t *testing.T) string {
	t.Helper()
	const script = `set -e
modprobe -a target_core_mod target_core_file tcm_loop
mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
c=/sys/kernel/config/target; b=$c/core/fileio_9/zfsbench; l=$c/loopback/naa.5001405000000001/tpgt_1
case $1 in
up) mkdir -p $b; echo "fd_dev_name=$2,fd_dev_size=83886080" > $b/control; echo 1 > $b/enable
  mkdir -p $l/lun/lun_0; echo naa.5001405000000002 > $l/nexus; ln -s $b $l/lun/lun_0/zfsbench; udevadm settle;;
down) rm $l/lun/lun_0/zfsbench; rmdir $l/lun/lun_0; rmdir $l; rmdir ${l%/*}; rmdir $b; rmdir ${b%/*};;
esac`
	if _, err := os.Stat("/lib/modules"); err != nil {
		t.Skip("the modules of the kernel are not here")
	}
	before, _ := filepath.Glob("/sys/block/sd*")
	n.run(t, "sh", "-c", script, "sh", "up", poolFile(t, n))
	t.Cleanup(func() { n.run(t, "sh", "-c", script, "sh", "down") })
	after, _ := filepath.Glob("/sys/block/sd*")
	if len(after) != len(before)+1 {
		t.Fatalf("disks %q before, %q now", before, after)
	}
	for _, disk := range after {
		if !strings.Contains(strings.Join(before, " ")+" ", disk+" ") {
			return "/dev/" + filepath.Base(disk)
		}
	}
	return ""
}
