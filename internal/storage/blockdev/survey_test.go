// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
)

// surveyed are the disks of a bench in one line each.
func surveyed(t *testing.T, b *bench) []string {
	t.Helper()
	found, err := newSurvey(b.guard).Disks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range found {
		verdict := "blank"
		var refusal *Refusal
		if errors.As(f.Refusal, &refusal) {
			verdict = fmt.Sprintf("%s in use=%t", refusal.Step, f.InUse())
		}
		all = append(all, fmt.Sprintf("%s %s %s %d %s", f.Device, f.Path, f.Serial, f.SizeBytes, verdict))
	}
	return all
}

func TestSurveyOfABusyNode(t *testing.T) {
	b := newBench(t, free(fixture(t, "node-busy-linux-6.12.107")))
	const byID = "/dev/disk/by-id/virtio-zfsbench-"
	want := []string{
		"/dev/vda " + byID + "root zfsbench-root 21474836480 system in use=true",
		"/dev/vdb " + byID + "config zfsbench-config 402653184 read-only in use=false",
		"/dev/vdc " + byID + "d0 zfsbench-d0 1073741824 blank",
		"/dev/vdd " + byID + "d1 zfsbench-d1 1073741824 partitions in use=true",
		"/dev/vde " + byID + "d2 zfsbench-d2 1073741824 holders in use=true",
		"/dev/vdf " + byID + "d3 zfsbench-d3 1073741824 backing in use=true",
	}
	if diff := cmp.Diff(want, surveyed(t, b)); diff != "" {
		t.Errorf("disks (-want +got):\n%s", diff)
	}
	for number, disk := range b.disks {
		if len(disk.writes) > 0 {
			t.Errorf("the survey wrote to %s: %q", number, disk.writes)
		}
	}
	for _, command := range b.rec.Transcript() {
		for _, writes := range []string{"zpool create", "labelclear", "settle", "zpool import -o", "mkfs"} {
			if strings.Contains(command, writes) {
				t.Errorf("the survey ran %q", command)
			}
		}
	}
}

// TestSurveyCannotWrite: whatever the code above it does, a device is not opened for writing.
func TestSurveyCannotWrite(t *testing.T) {
	b := newBench(t, free(fixture(t, "node-busy-linux-6.12.107")))
	devices := readOnly{b.guard.node.devices}
	if _, err := devices.Open(b.guard.node.path("/dev/vdc"), exclusiveWrite); err == nil {
		t.Error("a device was opened for writing")
	}
	opened, err := devices.Open(b.guard.node.path("/dev/vdc"), exclusive)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := opened.WriteAt(make([]byte, memoryBlock), 0); err == nil {
		t.Error("a device was written to")
	}
	if s := NewSurvey(nil, nil, NewResidues(t.TempDir())); s.guard.node.devices != (readOnly{linux{}}) {
		t.Errorf("a survey opens devices by %T", s.guard.node.devices)
	}
}

// TestSurveyOfADeadDisk: a disk that does not answer is reported, OpenZFS is kept away from it, and the others are
// examined as ever.
func TestSurveyOfADeadDisk(t *testing.T) {
	b := newBench(t, free(fixture(t, "node-busy-linux-6.12.107")))
	b.disks[Number{254, 80}].hangs = time.Hour
	s := newSurvey(b.guard)
	s.patience.answer = 50 * time.Millisecond
	found, err := s.Disks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		switch f.Device {
		case "/dev/vdf":
			if !errors.Is(f.Refusal, errNoAnswer) || f.InUse() {
				t.Errorf("the dead disk: %v, in use %t", f.Refusal, f.InUse())
			}
		case "/dev/vdc":
			if f.Refusal != nil {
				t.Errorf("the blank disk: %v", f.Refusal)
			}
		}
	}
	for _, command := range b.rec.Transcript() {
		scan := strings.HasPrefix(command, "host zpool import")
		if scan && (!strings.Contains(command, "-d /dev/vdd1 ") || strings.Contains(command, "vdf")) {
			t.Errorf("command %q", command)
		}
	}
}

// TestSurveyOfADiskThatStops: one that answers at first and stops in the middle is refused, too.
func TestSurveyOfADiskThatStops(t *testing.T) {
	b := newBench(t, free(fixture(t, "node-busy-linux-6.12.107")))
	s := newSurvey(b.guard)
	s.patience.check = 200 * time.Millisecond
	b.disks[Number{254, 32}].hangs = 150 * time.Millisecond
	found, err := s.Disks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if f.Device == "/dev/vdc" && (!errors.Is(f.Refusal, errNoAnswer) || f.InUse()) {
			t.Errorf("refusal %v, in use %t", f.Refusal, f.InUse())
		}
	}
}

// TestSurveyEndsInTime: all disks have one deadline together, so that slow ones cannot delay the report. One whose
// check has not ended by then is refused.
func TestSurveyEndsInTime(t *testing.T) {
	b := newBench(t, free(fixture(t, "node-busy-linux-6.12.107")))
	s := newSurvey(b.guard)
	s.patience.all = time.Second
	b.disks[Number{254, 32}].hangs = 20 * time.Millisecond // the check of a blank disk reads it 500 times
	found, err := s.Disks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if vdc := found[2]; !errors.Is(vdc.Refusal, errNoAnswer) || vdc.InUse() {
		t.Errorf("%s: %v, in use %t", vdc.Device, vdc.Refusal, vdc.InUse())
	}
}

// TestSurveyWithoutLsblk: the disks are listed all the same, and each is refused.
func TestSurveyWithoutLsblk(t *testing.T) {
	b := newBench(t, free(fixture(t, "node-busy-linux-6.12.107")), fails("local lsblk --json --all", 1)...)
	b.disks[Number{254, 80}].hangs = time.Hour
	s := newSurvey(b.guard)
	s.patience.answer = 50 * time.Millisecond
	found, err := s.Disks(t.Context())
	if err != nil || len(found) != 6 {
		t.Fatalf("%d disks, %v", len(found), err)
	}
	for _, f := range found {
		var refusal *Refusal
		dead := f.Device == "/dev/vdf"
		if !errors.As(f.Refusal, &refusal) || f.InUse() || dead != errors.Is(f.Refusal, errNoAnswer) ||
			!dead && refusal.Step != StepSerial {
			t.Errorf("%s: %v", f.Device, f.Refusal)
		}
	}
}

func TestSurveyVerdicts(t *testing.T) {
	const vdc = "/dev/vdc /dev/disk/by-id/virtio-zfsbench-d0 zfsbench-d0 1073741824 "
	tests := map[string]struct {
		lines   func(string) string
		answers []hostexectest.Answer
		disk    func(*memoryDisk)
		want    string
	}{
		"open": {lines: func(l string) string { return l + "link\t/proc/30840/fd/7\t/dev/vdc\n" },
			want: "open in use=true"},
		"data":       {disk: func(d *memoryDisk) { d.put(0, 1) }, want: "content in use=true"},
		"unreadable": {disk: func(d *memoryDisk) { d.unreadable = 1 << 20 }, want: "content in use=false"},
		"busy":       {disk: func(d *memoryDisk) { d.busy = true }, want: "open in use=true"},
		"a tool that fails": {answers: fails("host zdb -l", 1),
			want: "labels in use=false"},
		"a pool": {answers: answer("host zpool status", "\t    /dev/vdc1  ONLINE  0 0 0\n"),
			want: "pools in use=true"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // the guard waits a while for an open disk
			lines := free(fixture(t, "node-busy-linux-6.12.107"))
			if tt.lines != nil {
				lines = tt.lines(lines)
			}
			b := newBench(t, lines, tt.answers...)
			if tt.disk != nil {
				tt.disk(b.disks[Number{254, 32}])
			}
			if got := surveyed(t, b)[2]; got != vdc+tt.want {
				t.Errorf("got %q, want %q", got, vdc+tt.want)
			}
		})
	}
}

// TestSurveyOfUnsignedData: consent to overwrite covers data without a signature, and nothing else on the disk.
func TestSurveyOfUnsignedData(t *testing.T) {
	tests := map[string]struct {
		answers []hostexectest.Answer
		at      []int64
		want    bool
	}{
		"between the margins":  {at: []int64{gibibyte / 2}, want: true},
		"in the first MiB":     {at: []int64{0}},
		"and in the first MiB": {at: []int64{0, gibibyte / 2}},
		"and a pool's label": {answers: answer("host zdb -l", "    version: 5000\n    name: 'tank'\n"),
			at: []int64{gibibyte / 2}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, free(fixture(t, "node-busy-linux-6.12.107")), tt.answers...)
			for _, at := range tt.at {
				b.disks[Number{254, 32}].put(at, 1)
			}
			found, err := newSurvey(b.guard).Disks(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if f := found[2]; f.UnsignedData != tt.want || f.Refusal == nil || !f.InUse() {
				t.Errorf("unsigned data %t, refusal %v, in use %t", f.UnsignedData, f.Refusal, f.InUse())
			}
		})
	}
}

func TestSurveyWithoutSerial(t *testing.T) {
	b := newBench(t, free(fixture(t, "node-busy-linux-6.12.107")), listing("vdc", ""))
	if got := surveyed(t, b)[2]; !strings.HasSuffix(got, "serial in use=false") {
		t.Errorf("got %q", got)
	}
}

func TestStablePaths(t *testing.T) {
	const byID = "/dev/disk/by-id/"
	root := plant(t, "device\t/dev/sda\t8:0\ndevice\t/dev/nvme0n1\t259:0\ndevice\t/dev/sda1\t8:1\n"+
		"link\t"+byID+"ata-ACME_S1\t../../sda\n"+
		"link\t"+byID+"scsi-35000c500a1b2c3d4\t../../sda\n"+
		"link\t"+byID+"lvm-pv-uuid-x\t../../sda\n"+
		"link\t"+byID+"wwn-0x5000c500a1b2c3d4\t../../sda\n"+
		"link\t"+byID+"wwn-0x5000c500a1b2c3d4-part1\t../../sda1\n"+
		"link\t"+byID+"ata-gone\t../../sdb\n"+
		"link\t"+byID+"bad name\t../../sda\n"+
		"link\t"+byID+"nvme-ACME_S2_1\t../../nvme0n1\n"+
		"link\t"+byID+"nvme-ACME_S2\t../../nvme0n1\n"+
		"link\t"+byID+"nvme-nvme.8086-5332\t../../nvme0n1\n"+
		"link\t"+byID+"nvme-eui.0025385b71b0e2d1\t../../nvme0n1\n")
	found, err := machine{root: root, devices: captured{root: root}}.stablePaths()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"/dev/sda": {byID + "wwn-0x5000c500a1b2c3d4", byID + "scsi-35000c500a1b2c3d4", byID + "ata-ACME_S1",
			byID + "lvm-pv-uuid-x"},
		"/dev/sda1": {byID + "wwn-0x5000c500a1b2c3d4-part1"},
		"/dev/nvme0n1": {byID + "nvme-eui.0025385b71b0e2d1", byID + "nvme-ACME_S2", byID + "nvme-ACME_S2_1",
			byID + "nvme-nvme.8086-5332"},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
}

// TestAttributes reads sysfs as Linux 6.12 lays it out for a SAS disk, an NVMe disk and a virtio disk.
func TestAttributes(t *testing.T) {
	tests := map[string]struct {
		lines string
		block block
		want  Attributes
	}{
		"sas": {
			lines: "file\t/sys/block/sda/queue/rotational\t1\nfile\t/sys/block/sda/queue/physical_block_size\t4096\n" +
				"file\t/sys/block/sda/queue/discard_max_bytes\t0\nfile\t/sys/block/sda/queue/write_cache\twrite through\n" +
				"file\t/sys/devices/pci0000:00/0000:02:00.0/host0/port-0:0/end_device-0:0/target0:0:0/0:0:0:0/rev\tN004\n" +
				"link\t/sys/block/sda/device\t" +
				"../../devices/pci0000:00/0000:02:00.0/host0/port-0:0/end_device-0:0/target0:0:0/0:0:0:0\n",
			block: block{Name: "sda", SectorBytes: 512, Model: "ST4000NM0025"},
			want: Attributes{Model: "ST4000NM0025", Firmware: "N004", Transport: "sas", Rotational: true,
				LogicalSectorBytes: 512, PhysicalSectorBytes: 4096},
		},
		"nvme": {
			lines: "file\t/sys/block/nvme0n1/queue/rotational\t0\nfile\t/sys/block/nvme0n1/queue/write_cache\twrite back\n" +
				"file\t/sys/block/nvme0n1/queue/discard_max_bytes\t2199023255040\n" +
				"file\t/sys/block/nvme0n1/queue/physical_block_size\t512\n" +
				"file\t/sys/block/nvme0n1/device/firmware_rev\t2B2QEXM7\nfile\t/sys/block/nvme0n1/device/transport\tpcie\n",
			block: block{Name: "nvme0n1", SectorBytes: 512},
			want: Attributes{Firmware: "2B2QEXM7", Transport: "nvme", LogicalSectorBytes: 512, PhysicalSectorBytes: 512,
				Discard: true, VolatileWriteCache: true},
		},
		"virtio": {block: block{Name: "vda", SectorBytes: 4096}, want: Attributes{Transport: "virtio",
			LogicalSectorBytes: 4096}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			root := plant(t, tt.lines)
			if diff := cmp.Diff(tt.want, machine{root: root}.readAttributes(tt.block)); diff != "" {
				t.Errorf("attributes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTransport(t *testing.T) {
	tests := map[string][3]string{
		"usb":         {"sda", "", "/devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0"},
		"sata":        {"sda", "", "/devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0"},
		"iscsi":       {"sdb", "", "/devices/platform/host2/session1/target2:0:0/2:0:0:1"},
		"fc":          {"sdc", "", "/devices/pci0000:00/0000:00:03.0/host3/rport-3:0-1/target3:0:0/3:0:0:0"},
		"virtio":      {"sdd", "", "/devices/pci0000:00/0000:00:05.0/virtio2/host4/target4:0:0/4:0:0:0"},
		"nvme-tcp":    {"nvme1n1", "tcp", "/devices/virtual/nvme-fabrics/ctl/nvme1"},
		"mmc":         {"mmcblk0", "", ""},
		"":            {"sde", "", "/devices/elsewhere"},
		"nvme":        {"nvme0n1", "pcie", ""},
		"pmem":        {"pmem0", "", ""},
		"xen":         {"xvda", "", ""},
		"nvme-rdma":   {"nvme2n1", "rdma", ""},
		"nvme-apple?": {"nvme3n1", "apple?", ""},
	}
	for want, in := range tests {
		if got := transport(in[0], in[1], in[2]); got != want {
			t.Errorf("%v: got %q, want %q", in, got, want)
		}
	}
}
