// SPDX-License-Identifier: Apache-2.0

package mdraid

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"

	"zfsbench.io/operator/internal/testfiles"
)

const testUUID = "0c7c9a41-8a2e-4fbb-9f4d-1f2d3c4b5a69"

func paths(n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("/dev/disk/by-partuuid/%d", i))
	}
	return all
}

func quantity(text string) *resource.Quantity {
	q := resource.MustParse(text)
	return &q
}

// TestCommands shows what would run, for review: nothing forces, and nothing takes devices for equal.
func TestCommands(t *testing.T) {
	var out strings.Builder
	for _, level := range Levels() {
		plain := v1alpha1.MDArray{Level: level.Name}
		full := plain
		if level.Stripes() {
			full.ChunkSize = quantity("1Mi")
		}
		if level.IsRedundant() {
			full.Bitmap = v1alpha1.MDBitmapInternal
		}
		for _, array := range []v1alpha1.MDArray{plain, full} {
			argv := Create{Array: array, Name: "zfsbench-0c7c9a41-7", UUID: testUUID, Devices: paths(level.MinDevices)}.Argv()
			fmt.Fprintln(&out, strings.Join(argv, " "))
			for _, word := range []string{"--force", "-f", "--assume-clean", "missing"} {
				if slices.Contains(argv, word) {
					t.Errorf("%v has %s", argv, word)
				}
			}
		}
	}
	without := v1alpha1.MDArray{Level: v1alpha1.MDRaid6, ChunkSize: quantity("4Ki"), Bitmap: v1alpha1.MDBitmapNone}
	fmt.Fprintln(&out, strings.Join(Create{Array: without, Name: "a", UUID: testUUID, Devices: paths(4)}.Argv(), " "))
	testfiles.Compare(t, "commands.txt", out.String())
}

func TestLevels(t *testing.T) {
	tests := map[v1alpha1.MDLevel]struct {
		devices, tolerance, data int
		stripes, isRedundant     bool
	}{
		v1alpha1.MDRaid0:  {3, 0, 3, true, false},
		v1alpha1.MDRaid1:  {3, 2, 1, false, true},
		v1alpha1.MDRaid5:  {4, 1, 3, true, true},
		v1alpha1.MDRaid6:  {6, 2, 4, true, true},
		v1alpha1.MDRaid10: {6, 1, 3, true, true},
	}
	for _, name := range Names() {
		t.Run(string(name), func(t *testing.T) {
			want := tests[name]
			level, known := Of(name)
			array := v1alpha1.MDArray{Level: name, Devices: paths(want.devices)}
			if !known || LossTolerance(array) != want.tolerance || level.Stripes() != want.stripes ||
				level.IsRedundant() != want.isRedundant {
				t.Errorf("level %+v, tolerance %d, want %+v", level, LossTolerance(array), want)
			}
			const gib = 1 << 30
			room := RoomOf(array, 8*gib)
			if room.Most != int64(want.data)*8*gib || room.Least >= room.Most || room.Least < room.Most*99/100 {
				t.Errorf("room %+v, want nearly %d GiB", room, want.data*8)
			}
			if syncs := SyncBytes(array, gib) == gib; syncs != want.isRedundant {
				t.Errorf("it syncs %d bytes of each device", SyncBytes(array, gib))
			}
		})
	}
	if _, known := Of("raid4"); known || LossTolerance(v1alpha1.MDArray{Level: "raid4", Devices: paths(4)}) != 0 ||
		SyncBytes(v1alpha1.MDArray{Level: "raid4"}, 1) != 0 ||
		RoomOf(v1alpha1.MDArray{Level: "raid4"}, 1) != (Room{}) {
		t.Error("raid4 is a level")
	}
}

func TestRoom(t *testing.T) {
	const mib = 1 << 20
	tests := map[string]struct {
		array  v1alpha1.MDArray
		device int64
		least  int64
	}{
		"a small one": {v1alpha1.MDArray{Level: v1alpha1.MDRaid1, Devices: paths(2)}, 64 * mib, 59*mib + 512<<10},
		"a large one": {v1alpha1.MDArray{Level: v1alpha1.MDRaid1, Devices: paths(2)}, 1 << 40,
			1<<40 - 130*mib - 512<<10},
		"with large chunks": {v1alpha1.MDArray{Level: v1alpha1.MDRaid0, Devices: paths(2), ChunkSize: quantity("16Mi")},
			1024 * mib, 2 * (1024 - 2 - 64 - 16) * mib},
		"with no room": {v1alpha1.MDArray{Level: v1alpha1.MDRaid0, Devices: paths(2), ChunkSize: quantity("64Mi")}, 64 * mib,
			0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := RoomOf(tt.array, tt.device); got.Least != tt.least {
				t.Errorf("at least %d bytes, want %d", got.Least, tt.least)
			}
		})
	}
}

func TestUUID(t *testing.T) {
	const want = "0c7c9a41:8a2e4fbb:9f4d1f2d:3c4b5a69"
	tests := map[string]struct {
		text string
		ok   bool
	}{
		"mdadm's":           {want, true},
		"wipefs's":          {testUUID, true},
		"in capitals":       {strings.ToUpper(testUUID), true},
		"none":              {"", false},
		"zeros":             {"00000000:00000000:00000000:00000000", false},
		"without a mark":    {strings.ReplaceAll(want, ":", ""), false},
		"marks mixed up":    {"0c7c9a41-8a2e4fbb-9f4d1f2d-3c4b5a69", false},
		"groups mixed up":   {"0c7c9a41:8a2e:4fbb:9f4d:1f2d3c4b5a69", false},
		"a digit less":      {want[:34], false},
		"a digit more":      {want + "0", false},
		"no digit":          {"g" + want[1:], false},
		"something behind":  {want + "\n", false},
		"something before":  {" " + want, false},
		"a text in between": {"0c7c9a41:8a2e4fbb:9f4d1f2d:3c4b5a6:", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ParseUUID(tt.text)
			if (err == nil) != tt.ok || tt.ok && got.String() != want || !tt.ok && got != (UUID{}) {
				t.Errorf("got %s, error %v", got, err)
			}
		})
	}
}

func FuzzParseUUID(f *testing.F) {
	f.Add(testUUID)
	f.Add("0c7c9a41:8a2e4fbb:9f4d1f2d:3c4b5a69")
	f.Add("0c7c9a41-8a2e:4fbb-9f4d-1f2d3c4b5a69")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseUUID(text)
		digits := strings.ReplaceAll(strings.ReplaceAll(text, "-", ""), ":", "")
		if err == nil && (!strings.EqualFold(strings.ReplaceAll(got.String(), ":", ""), digits) || got == (UUID{})) {
			t.Fatalf("%q is read as %s", text, got)
		}
	})
}

func TestLayout(t *testing.T) {
	tests := []struct {
		level  string
		number int
		want   string
	}{
		{"raid0", 0, ""}, {"raid1", 0, ""}, {"raid5", 2, "left-symmetric"}, {"raid6", 2, "left-symmetric"},
		{"raid5", 0, "left-asymmetric"}, {"raid5", 99, ""}, {"raid6", -1, ""},
		{"raid10", 0x102, "near=2"}, {"raid10", 0x201, "far=2"}, {"raid10", 0x10201, "offset=2"},
		{"raid10", 0x202, "near=2, far=2"}, {"raid10", 0, ""}, {"raid10", -1, ""}, {"", 2, ""},
	}
	for _, tt := range tests {
		if got := Layout(tt.level, tt.number); got != tt.want {
			t.Errorf("layout %#x of %s is %q, want %q", tt.number, tt.level, got, tt.want)
		}
	}
}
