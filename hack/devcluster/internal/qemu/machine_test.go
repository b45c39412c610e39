package qemu

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMachineArgs(t *testing.T) {
	machine := Machine{
		Name: "storage-0", CPUs: 2, MemoryMiB: 4096, Tap: "tap0", MAC: "52:54:00:99:00:0a",
		Address: "10.99.0.10", Netmask: "255.255.255.0", Gateway: "10.99.0.1",
		Disks: []Disk{
			{Name: "d0", SizeBytes: 1 << 30, Throttle: Throttle{BytesPerSecond: 200 << 20, IOPS: 4000}},
			{Name: "d1", SizeBytes: 1 << 30},
		},
	}
	common := []string{
		"-smp", "2", "-m", "4096", "-serial", "file:/vm/serial.log", "-qmp", "unix:/vm/qmp.sock,server=on,wait=off",
		"-kernel", "/image/vmlinuz", "-initrd", "/image/initrd", "-append",
		"root=/dev/vda rw console=ttyS0 quiet mitigations=off net.ifnames=0 rootflags=noinit_itable " +
			"lsm=landlock,lockdown,yama,integrity,apparmor systemd.hostname=storage-0 systemd.ssh_auto=no " +
			"ip=10.99.0.10::10.99.0.1:255.255.255.0::eth0:off",
		"-device", "virtio-rng-pci",
		"-netdev", "tap,id=net0,ifname=tap0,script=no,downscript=no", "-device",
		"virtio-net-pci,netdev=net0,mac=52:54:00:99:00:0a",
		"-drive", "file=/vm/root.qcow2,format=qcow2,if=none,id=root,cache=unsafe",
		"-device", "virtio-blk-pci,drive=root,id=root-dev,serial=zfsbench-root",
		"-drive", "file=/vm/config.img,format=raw,if=none,id=config,cache=unsafe,readonly=on",
		"-device", "virtio-blk-pci,drive=config,id=config-dev,serial=zfsbench-config",
		"-drive", "file=/vm/d0.img,format=raw,if=none,id=d0,cache=none,aio=threads,discard=unmap,detect-zeroes=off," +
			"throttling.bps-total=209715200,throttling.iops-total=4000",
		"-device", "virtio-blk-pci,drive=d0,id=d0-dev,serial=zfsbench-d0",
		"-drive", "file=/vm/d1.img,format=raw,if=none,id=d1,cache=none,aio=threads,discard=unmap,detect-zeroes=off",
		"-device", "virtio-blk-pci,drive=d1,id=d1-dev,serial=zfsbench-d1",
	}
	start := []string{"/usr/bin/qemu-system-x86_64", "-name", "storage-0", "-nodefaults", "-no-user-config", "-display",
		"none", "-machine", "pc"}
	tests := map[string]struct {
		accel Accel
		want  []string
	}{
		"emulated": {TCG, []string{"-accel", "tcg,thread=multi,tb-size=1024", "-cpu", "max"}},
		"kvm":      {KVM, []string{"-accel", "kvm", "-cpu", "host"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			machine.Accel = test.accel
			var want []string
			want = append(append(append(want, start...), test.want...), common...)
			if diff := cmp.Diff(want, machine.Args()); diff != "" {
				t.Errorf("Args (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDiskValidate(t *testing.T) {
	tests := map[string]struct {
		disk Disk
		want string
	}{
		"good": {disk: Disk{Name: "d0", SizeBytes: 1 << 30}},
		"no name": {disk: Disk{SizeBytes: 512},
			want: `disk name "": want a lower-case letter, then letters and digits`},
		"option in name": {disk: Disk{Name: "d0,file=x", SizeBytes: 512},
			want: `disk name "d0,file=x": want a lower-case letter, then letters and digits`},
		"own disk": {disk: Disk{Name: "root", SizeBytes: 512},
			want: `disk name "root" is taken by the node's own disk`},
		"long name": {disk: Disk{Name: "abcdefghijkl", SizeBytes: 512},
			want: `disk name "abcdefghijkl": want at most 11 characters`},
		"no size": {disk: Disk{Name: "d0"}, want: "disk d0: size 0 bytes is no positive multiple of 512"},
		"broken sector": {disk: Disk{Name: "d0", SizeBytes: 513},
			want: "disk d0: size 513 bytes is no positive multiple of 512"},
		"negative throttle": {disk: Disk{Name: "d0", SizeBytes: 512, Throttle: Throttle{IOPS: -1}},
			want: "disk d0: a throttle is negative"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := test.disk.Validate(); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Validate (-want +got):\n%s", diff)
			}
		})
	}
}
