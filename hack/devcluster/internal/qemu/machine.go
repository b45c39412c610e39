// Package qemu runs the cluster's nodes as virtual machines.
package qemu

import (
	"fmt"
	"strconv"
	"strings"
)

// Accel is how the machine's processors are run.
type Accel string

// Accelerators.
const (
	KVM Accel = "kvm"
	TCG Accel = "tcg"
)

// Paths inside the chroot that QEMU runs in.
const (
	// RunDir is the node's own directory: disks, sockets, serial log.
	RunDir = "/vm"
	// ImageDir holds kernel, initial ramdisk and the root disk's backing image.
	ImageDir = "/image"
	binary   = "/usr/bin/qemu-system-x86_64"
)

// Names of files in RunDir.
const (
	RootDisk   = "root.qcow2"
	ConfigDisk = "config.img"
	SerialLog  = "serial.log"
	QMPSocket  = "qmp.sock"
)

// Names of files in ImageDir.
const (
	Kernel    = "vmlinuz"
	Initrd    = "initrd"
	RootImage = "root.img"
)

// Machine describes a virtual machine.
type Machine struct {
	Name      string // also its host name
	CPUs      int
	MemoryMiB int
	Accel     Accel
	Tap       string
	MAC       string
	Address   string // IPv4
	Netmask   string
	Gateway   string
	Disks     []Disk
}

// Args returns the command line, Args[0] being the program inside the chroot.
func (m Machine) Args() []string {
	args := []string{binary, "-name", m.Name, "-nodefaults", "-no-user-config", "-display", "none"}
	args = append(args, m.accelArgs()...)
	args = append(args,
		"-smp", strconv.Itoa(m.CPUs), "-m", strconv.Itoa(m.MemoryMiB),
		"-serial", "file:"+RunDir+"/"+SerialLog,
		"-qmp", "unix:"+RunDir+"/"+QMPSocket+",server=on,wait=off",
		"-kernel", ImageDir+"/"+Kernel, "-initrd", ImageDir+"/"+Initrd,
		"-append", m.kernelArgs(),
		// Entropy, or a first boot may wait for it.
		"-device", "virtio-rng-pci",
		"-netdev", "tap,id=net0,ifname="+m.Tap+",script=no,downscript=no",
		"-device", "virtio-net-pci,netdev=net0,mac="+m.MAC)
	// The root disk is a copy that no one needs after a crash of the machine.
	args = append(args, systemDisk("root", RunDir+"/"+RootDisk, "qcow2", "zfsbench-root", false)...)
	args = append(args, systemDisk("config", RunDir+"/"+ConfigDisk, "raw", "zfsbench-config", true)...)
	for _, d := range m.Disks {
		args = append(args, d.args()...)
	}
	return args
}

func (m Machine) accelArgs() []string {
	// The i440FX machine hot-plugs PCI devices on its root bus by ACPI, without ports prepared beforehand.
	if m.Accel == KVM {
		return []string{"-machine", "pc", "-accel", "kvm", "-cpu", "host"}
	}
	return []string{"-machine", "pc", "-accel", "tcg,thread=multi,tb-size=1024", "-cpu", "max"}
}

func (m Machine) kernelArgs() string {
	// The address goes to systemd-network-generator, the name to systemd: nothing of a node is in its image.
	return strings.Join([]string{
		"root=/dev/vda", "rw", "console=ttyS0", "quiet", "mitigations=off", "net.ifnames=0",
		// The image's inode tables are zero already: nothing is to be written behind a measurement's back.
		"rootflags=noinit_itable",
		// The usual security modules but bpf: verifying systemd's programs for it takes seconds when emulated.
		"lsm=landlock,lockdown,yama,integrity,apparmor",
		"systemd.hostname=" + m.Name, "systemd.ssh_auto=no",
		fmt.Sprintf("ip=%s::%s:%s::eth0:off", m.Address, m.Gateway, m.Netmask),
	}, " ")
}

func systemDisk(id, file, format, serial string, readOnly bool) []string {
	drive := fmt.Sprintf("file=%s,format=%s,if=none,id=%s,cache=unsafe", file, format, id)
	if readOnly {
		drive += ",readonly=on"
	}
	return []string{"-drive", drive, "-device", fmt.Sprintf("virtio-blk-pci,drive=%s,id=%s-dev,serial=%s", id, id, serial)}
}
