// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// poolMembers are the signatures of the pool in the fixture wipefs-zfs, at these offsets.
func poolMembers(offsets ...string) []signature {
	var all []signature
	for _, offset := range offsets {
		all = append(all, signature{Offset: offset, Type: "zfs_member", UUID: "7056262603242998282", Label: "zbfix"})
	}
	return all
}

func TestParseWipefs(t *testing.T) {
	tests := map[string]struct{ want []signature }{
		"wipefs-blank-2.41.5": {want: []signature{}},
		"wipefs-gpt-2.41.5": {want: []signature{{Offset: "0x200", Type: "gpt"}, {Offset: "0x3ffffe00", Type: "gpt"},
			{Offset: "0x1fe", Type: "PMBR"}}},
		"wipefs-mbr-2.41.5": {want: []signature{{Offset: "0x1fe", Type: "dos"}}},
		"wipefs-jfs-2.38.1": {want: []signature{{Offset: "0x8000", Type: "jfs", UUID: "951d691d-e96b-4ec7-b4b8-0dac34450a37",
			Label: "471eaa252f774f21"}}},
		"wipefs-swap-2.41.5": {want: []signature{{Offset: "0xff6", Type: "swap",
			UUID: "7f6632b6-6881-467b-be73-dd33b3a1bdb8"}}},
		"wipefs-xfs-2.41.5": {want: []signature{{Offset: "0x0", Type: "xfs", UUID: "cee421eb-294e-4076-b989-83ef30e8dccd"}}},
		"wipefs-zfs-2.41.5": {want: poolMembers("0x4000", "0x44000", "0x3fd84000", "0x3fdc4000")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := parseWipefs(strings.NewReader(fixture(t, name)))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("signatures (-want +got):\n%s", diff)
			}
		})
	}
	if got, err := parseWipefs(strings.NewReader("")); err != nil || got != nil {
		t.Errorf("no output: %v, error %v", got, err)
	}
	// Taken for a blank disk, each of these would cost somebody's data.
	for _, bad := range []string{"{}", "null", `{"signatures":null}`, `{"signatures":[]}{"signatures":[{"type":"ext4"}]}`,
		`{"signatures":[]`, "[]"} {
		if got, err := parseWipefs(strings.NewReader(bad)); err == nil {
			t.Errorf("%s: read as %v", bad, got)
		}
	}
}

func TestLsblkAgainst(t *testing.T) {
	disk := block{Name: "vdc", Number: Number{254, 32}, SizeBytes: gibibyte}
	tests := map[string]struct {
		in     string
		kernel block
		want   []string
	}{
		"blank": {in: fixture(t, "lsblk-blank-2.41.5"), kernel: disk},
		"partitioned": {in: fixture(t, "lsblk-partition-2.41.5"), kernel: disk,
			want: []string{"partition table gpt (lsblk)", "partitions or mappings (lsblk)"}},
		"root disk": {
			in: fixture(t, "lsblk-root-2.41.5"), kernel: block{Name: "vda", Number: Number{254, 0}, SizeBytes: 21474836480},
			want: []string{"signature ext4 (lsblk)", "mounted at / (lsblk)"},
		},
		"strings, as old versions print": {
			in:     `{"blockdevices":[{"name":"vdc","maj:min":"254:32","type":"disk","ro":"0","size":"1073741824","mountpoints":[null]}]}`,
			kernel: disk,
		},
		"read-only partition of another size": {
			in:     `{"blockdevices":[{"name":"vdc","maj:min":"254:32","type":"part","ro":true,"size":1}]}`,
			kernel: disk,
			want: []string{"the type is part instead of disk (lsblk)", "the size is 1 instead of 1073741824 (lsblk)",
				"read-only (lsblk)"},
		},
		"nothing said": {
			in:     `{"blockdevices":[{"name":"vdc","maj:min":"254:32"}]}`,
			kernel: disk,
			want: []string{"the type is  instead of disk (lsblk)", "the size is <nil> instead of 1073741824 (lsblk)",
				"read-only (lsblk)"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			listed, err := parseLsblk(strings.NewReader(test.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, listed.against(test.kernel)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadTree(t *testing.T) {
	n := machine{root: plant(t, fixture(t, "node-busy-linux-6.12.107"))}
	got, err := n.readTree()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]block{
		"vdc": {Name: "vdc", Number: Number{254, 32}, SizeBytes: gibibyte, SectorBytes: 512, Serial: "zfsbench-d0",
			Sequence: "3"},
		"vdd2": {Name: "vdd2", Number: Number{254, 50}, Disk: "vdd", Below: []Number{{254, 48}}, StartBytes: 513 * mebibyte,
			SizeBytes: 64 * mebibyte, SectorBytes: 512},
		"vde": {Name: "vde", Number: Number{254, 64}, SizeBytes: gibibyte, SectorBytes: 512, Serial: "zfsbench-d2",
			Sequence: "5", Holders: []string{"dm-0"}},
		"dm-0": {Name: "dm-0", Number: Number{252, 0}, SizeBytes: mebibyte, SectorBytes: 512, Sequence: "38",
			Slaves: []string{"vde"}, Below: []Number{{254, 64}}},
		"loop0": {Name: "loop0", Number: Number{7, 0}, SizeBytes: gibibyte, SectorBytes: 512, Sequence: "39",
			BackingFile: "/dev/vdf"},
		"vdb": {Name: "vdb", Number: Number{254, 16}, SizeBytes: 786432 * 512, SectorBytes: 512, Serial: "zfsbench-config",
			Sequence: "2", ReadOnly: true},
	}
	for name, block := range want {
		found, _ := got.byName(name)
		if diff := cmp.Diff(block, found); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if len(got) != 11 {
		t.Errorf("%d block devices, want 11", len(got))
	}
}

// BenchmarkRestsOn asks about every partition of many disks, as the guard does for every disk of a benchmark: the time
// of each question must not grow with the number of disks.
func BenchmarkRestsOn(b *testing.B) {
	for _, disks := range []uint32{10, 1000} {
		b.Run(fmt.Sprint(disks, " disks"), func(b *testing.B) {
			all := tree{}
			for i := range disks {
				disk, part := Number{8, i * 16}, Number{8, i*16 + 1}
				all[disk] = block{Name: fmt.Sprint("sd", i), Number: disk}
				all[part] = block{Name: fmt.Sprint("sd", i, "p1"), Number: part, Disk: fmt.Sprint("sd", i)}
			}
			all.link()
			for b.Loop() {
				all.restsOn(Number{8, 17}, Number{8, 0})
			}
		})
	}
}

func TestRestsOn(t *testing.T) {
	// An LVM volume on a partition of an md array on partitions of two disks.
	all := tree{}
	for minor, b := range []block{
		{Name: "sda"}, {Name: "sdb"}, {Name: "sda1", Disk: "sda"}, {Name: "sdb1", Disk: "sdb"},
		{Name: "md0", Slaves: []string{"sda1", "sdb1"}},
		{Name: "md0p1", Disk: "md0"}, {Name: "dm-0", Slaves: []string{"md0p1"}}, {Name: "sdc"},
	} {
		b.Number = Number{8, uint32(minor)}
		all[b.Number] = b
	}
	all.link()
	want := map[string]bool{"sda": true, "sda1": true, "md0": true, "md0p1": true, "dm-0": true, "sdb": false,
		"sdb1": false, "sdc": false}
	for name, rests := range want {
		b, _ := all.byName(name)
		if got := all.restsOn(b.Number, Number{8, 0}); got != rests {
			t.Errorf("%s rests on sda: %v, want %v", name, got, rests)
		}
	}
	if all.restsOn(Number{0, 42}, Number{8, 0}) {
		t.Error("an unknown device rests on sda")
	}
}

func TestParseMountinfo(t *testing.T) {
	in := `36 35 98:0 /mnt1 /mnt\040two rw,noatime master:1 - ext3 /dev/root rw,errors=continue` + "\n" +
		`37 35 0:30 / /run rw - tmpfs tmpfs rw` + "\n"
	got, err := parseMountinfo(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	want := []mount{{Number{98, 0}, "/mnt1", "/mnt two", "ext3", "/dev/root"},
		{Number{0, 30}, "/", "/run", "tmpfs", "tmpfs"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mounts (-want +got):\n%s", diff)
	}
	for _, bad := range []string{"x", "36 35 98:0 / /", "36 35 x / / rw - ext4 /dev/a rw"} {
		if _, err := parseMountinfo(strings.NewReader(bad + "\n")); err == nil {
			t.Errorf("accepted %q", bad)
		}
	}
}

func TestCovering(t *testing.T) {
	mounts := []mount{{Point: "/"}, {Point: "/var"}, {Point: "/var/lib"}, {Point: "/variant"},
		{Point: "/var", Type: "second"}}
	tests := map[string]mount{"/": {Point: "/"}, "/var": {Point: "/var", Type: "second"},
		"/var/lib/kubelet": {Point: "/var/lib"}, "/usr": {Point: "/"}}
	for path, want := range tests {
		if got, found := covering(mounts, path); !found || got != want {
			t.Errorf("%s: %+v, want %+v", path, got, want)
		}
	}
}

func TestParseSwaps(t *testing.T) {
	in := "Filename\tType\tSize\n/swap\\040file file 1 0 -2\n/dev/vdd2 partition 1 0 -2\n"
	got, err := parseSwaps(strings.NewReader(in))
	if diff := cmp.Diff([]swap{{"/swap file", false}, {"/dev/vdd2", true}}, got); diff != "" || err != nil {
		t.Errorf("error %v, swaps (-want +got):\n%s", err, diff)
	}
}

func TestDeviceNode(t *testing.T) {
	type answer struct {
		path string
		is   bool
	}
	tests := map[string]struct {
		mount mount
		path  string
		want  answer
	}{
		"a node mounted by itself": {mount{Root: "/sda", Point: "/var/x/pod", Type: "devtmpfs"}, "/var/x/pod",
			answer{"/dev/sda", true}},
		"a whole devtmpfs": {mount{Root: "/", Point: "/mnt/dev", Type: "devtmpfs"}, "/mnt/dev/disk/a",
			answer{"/dev/disk/a", true}},
		"a devtmpfs as the root": {mount{Root: "/", Point: "/", Type: "devtmpfs"}, "/sda", answer{"/dev/sda", true}},
		"the mount point itself": {mount{Root: "/", Point: "/dev", Type: "devtmpfs"}, "/dev", answer{}},
		"a part of the name":     {mount{Root: "/", Point: "/dev", Type: "devtmpfs"}, "/device/x", answer{}},
		"another filesystem":     {mount{Root: "/sda", Point: "/x", Type: "ext4"}, "/x", answer{}},
		"elsewhere":              {mount{Root: "/sda", Point: "/x", Type: "devtmpfs"}, "/y", answer{}},
	}
	for name, test := range tests {
		var got answer
		if got.path, got.is = test.mount.deviceNode(test.path); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}
