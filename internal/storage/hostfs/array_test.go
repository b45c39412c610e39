// SPDX-License-Identifier: Apache-2.0

package hostfs

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
	"zfsbench.io/operator/internal/storage/mdraid"
	"zfsbench.io/operator/internal/testfiles"
)

const somePersonalities = "Personalities : [raid1] [raid6] [raid5] [raid4] \nunused devices: <none>\n"

func TestFindArrays(t *testing.T) {
	present := hostexectest.Answer{Match: "host mdadm --version", Stderr: "mdadm - v4.4 - 2024-11-07 - Debian 4.4-11\n"}
	tests := map[string]struct {
		mdstat  string
		levels  []v1alpha1.MDLevel
		answers []hostexectest.Answer
		version string
		// lacks is a part of the error's text; empty for none.
		lacks string
	}{
		"known to the kernel": {mdstat: somePersonalities, levels: []v1alpha1.MDLevel{v1alpha1.MDRaid1, v1alpha1.MDRaid5},
			answers: []hostexectest.Answer{present}, version: "4.4"},
		"modules": {
			mdstat: somePersonalities, levels: []v1alpha1.MDLevel{v1alpha1.MDRaid0, v1alpha1.MDRaid10},
			answers: []hostexectest.Answer{present, {Match: "host modprobe --dry-run --quiet md-level-0"},
				{Match: "host modprobe --dry-run --quiet md-level-10"}}, version: "4.4",
		},
		"no driver yet": {levels: []v1alpha1.MDLevel{v1alpha1.MDRaid6},
			answers: []hostexectest.Answer{present, {Match: "host modprobe --dry-run --quiet md-level-6"}}, version: "4.4"},
		"no module": {
			mdstat: somePersonalities, levels: []v1alpha1.MDLevel{v1alpha1.MDRaid1, v1alpha1.MDRaid10},
			answers: []hostexectest.Answer{present, {Match: "host modprobe", Code: 1}}, version: "4.4",
			lacks: "the node has no md raid10 in its kernel, nor a module with it",
		},
		"no modprobe": {
			levels:  []v1alpha1.MDLevel{v1alpha1.MDRaid1},
			answers: []hostexectest.Answer{present, {Match: "host modprobe", Err: notFound}}, version: "4.4",
			lacks: "cannot say whether there is a module",
		},
		"no mdadm": {
			mdstat: somePersonalities, levels: []v1alpha1.MDLevel{v1alpha1.MDRaid1},
			answers: []hostexectest.Answer{{Match: "host mdadm", Err: notFound}}, lacks: "the node has no mdadm",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{}
			if tt.mdstat != "" {
				files["mdstat"] = tt.mdstat
			}
			n, _ := node(t, files, tt.answers...)
			var levels []mdraid.Level
			for _, name := range tt.levels {
				level, _ := mdraid.Of(name)
				levels = append(levels, level)
			}
			got, err := n.FindArrays(t.Context(), levels)
			var lack *LackError
			if got != tt.version || errors.As(err, &lack) != (tt.lacks != "") ||
				err != nil && !strings.Contains(err.Error(), tt.lacks) {
				t.Errorf("version %q, error %v; want %q, %q", got, err, tt.version, tt.lacks)
			}
		})
	}
	n, _ := node(t, map[string]string{"mdstat": "nonsense\n"}, present)
	if _, err := n.FindArrays(t.Context(), nil); err == nil {
		t.Error("a list that cannot be read is no error")
	}
}

func TestParityDiscards(t *testing.T) {
	const file = "sys/module/raid456/parameters/devices_handle_discard_safely"
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
		fails bool
	}{
		"not loaded":     {},
		"told to":        {files: map[string]string{file: "Y\n"}, want: "Y"},
		"by default":     {files: map[string]string{file: "N\n"}, want: "N"},
		"no such file":   {files: map[string]string{"sys/module/raid456/parameters/x": "N\n"}},
		"not to be read": {files: map[string]string{file + "/x": "N\n"}, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			n, _ := node(t, tt.files)
			n.sys = n.path("sys")
			got, err := n.ParityDiscards()
			if got != tt.want || (err != nil) != tt.fails {
				t.Errorf("got %q, error %v", got, err)
			}
		})
	}
}

// captured is /proc/mdstat while a new array is made redundant.
func captured(t testing.TB) string {
	t.Helper()
	return testfiles.Read(t, "testdata/mdstat-recovering-linux-6.12.107.txt")
}

func TestPersonalities(t *testing.T) {
	tests := map[string]struct {
		text string
		want map[string]bool
	}{
		"some": {somePersonalities, map[string]bool{"raid1": true, "raid4": true, "raid5": true, "raid6": true}},
		"captured": {
			captured(t), map[string]bool{"raid0": true, "raid1": true, "raid4": true, "raid5": true, "raid6": true,
				"raid10": true},
		},
		"none":           {"Personalities : \nunused devices: <none>\n", map[string]bool{}},
		"empty":          {"", nil},
		"cut off":        {"Personalities : [raid1] [rai", nil},
		"another line":   {"unused devices: <none>\n", nil},
		"without a mark": {"Personalities : raid1\n", nil},
		"an empty name":  {"Personalities : []\n", nil},
		"two in one":     {"Personalities : [raid1][raid5]\n", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := parsePersonalities(strings.NewReader(tt.text))
			if diff := cmp.Diff(tt.want, got); diff != "" || (err == nil) != (tt.want != nil) {
				t.Errorf("error %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// FuzzParsePersonalities looks for levels that the kernel does not name.
func FuzzParsePersonalities(f *testing.F) {
	f.Add(captured(f))
	f.Add("Personalities : [raid1\n")
	f.Fuzz(func(t *testing.T, text string) {
		known, err := parsePersonalities(strings.NewReader(text))
		for name := range known {
			if err != nil || name == "" || !strings.Contains(text, "["+name+"]") || strings.ContainsAny(name, "[] \t\n") {
				t.Errorf("%q is read as the level %q", text, name)
			}
		}
	})
}

// mirror is what the kernel shows of a mirror in sync.
func mirror() map[string]string {
	return map[string]string{
		"level": "raid1", "raid_disks": "2", "chunk_size": "0", "layout": "0", "bitmap/location": "none",
		"sync_action": "idle", "sync_completed": "none", "degraded": "0", "resync_start": "none",
		"last_sync_action": "resync", "mismatch_cnt": "8", "component_size": "1024", "sync_speed_min": "1000 (system)",
		"sync_speed_max": "200000 (local)",
	}
}

func TestArrayState(t *testing.T) {
	inSync := Array{
		Level: "raid1", Disks: 2, Bitmap: "none", Action: "idle", LastAction: "resync", MismatchBytes: 4096,
		DeviceBytes: 1 << 20, LeastSyncBytesPerSecond: 1000 << 10, MostSyncBytesPerSecond: 200000 << 10,
	}
	changed := func(change func(*Array)) Array {
		a := inSync
		change(&a)
		return a
	}
	tests := map[string]struct {
		files  map[string]string
		want   Array
		inSync bool
		err    string
	}{
		"in sync": {want: inSync, inSync: true},
		"an internal map": {files: map[string]string{"bitmap/location": "+8"}, want: changed(func(a *Array) {
			a.Bitmap = "internal"
		}), inSync: true},
		"syncing": {files: map[string]string{"sync_action": "resync", "sync_completed": "1024 / 4096",
			"resync_start": "1024"}, want: changed(func(a *Array) { a.Action, a.Percent, a.Unsynced = "resync", 25, true })},
		"not begun": {files: map[string]string{"resync_start": "0"}, want: changed(func(a *Array) {
			a.Unsynced = true
		})},
		"waits for others": {files: map[string]string{"sync_action": "resync", "sync_completed": "delayed",
			"resync_start": "0"}, want: changed(func(a *Array) { a.Action, a.Unsynced = "resync", true })},
		"as captured of a new raid5": {
			files: map[string]string{"level": "raid5", "raid_disks": "3", "chunk_size": "65536", "layout": "2",
				"sync_action": "recover", "sync_completed": "114432 / 610176", "degraded": "1"},
			want: changed(func(a *Array) {
				a.Level, a.Disks, a.Degraded, a.ChunkBytes, a.Layout, a.Action, a.Percent = "raid5", 3, 1, 64<<10, 2, "recover", 18
			}),
		},
		"recovering": {files: map[string]string{"sync_action": "recover", "sync_completed": "18446744073709551615 / 4096",
			"degraded": "1"}, want: changed(func(a *Array) { a.Action, a.Percent, a.Degraded = "recover", 100, 1 })},
		"checked":  {files: map[string]string{"sync_action": "check"}, want: changed(func(a *Array) { a.Action = "check" })},
		"degraded": {files: map[string]string{"degraded": "1"}, want: changed(func(a *Array) { a.Degraded = 1 })},
		"a stripe": {
			files: map[string]string{"level": "raid0", "chunk_size": "65536", "sync_action": "", "sync_completed": "",
				"degraded": "", "resync_start": "0", "bitmap/location": "", "last_sync_action": "", "mismatch_cnt": "",
				"sync_speed_min": "", "sync_speed_max": ""},
			want:   Array{Level: "raid0", Disks: 2, ChunkBytes: 64 << 10, Bitmap: "none", Action: "idle", DeviceBytes: 1 << 20},
			inSync: true,
		},
		"without a level":   {files: map[string]string{"level": ""}, err: "md/level"},
		"no number":         {files: map[string]string{"raid_disks": "two"}, err: "raid_disks"},
		"no progress":       {files: map[string]string{"sync_completed": "much"}, err: `sync_completed is "much"`},
		"nothing to do":     {files: map[string]string{"sync_completed": "0 / 0"}, err: "sync_completed"},
		"an odd count":      {files: map[string]string{"degraded": "x"}, err: "x"},
		"no limit":          {files: map[string]string{"sync_speed_min": "system"}, err: "sync_speed_min"},
		"half of the files": {files: map[string]string{"resync_start": ""}, err: "resync_start"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			shown := mirror()
			maps.Copy(shown, tt.files)
			files := map[string]string{}
			for name, content := range shown {
				if content != "" { // which stands for a file that is not there
					files["block/md127/md/"+name] = content + "\n"
				}
			}
			n, _ := node(t, files)
			n.sys = n.proc
			got, err := n.ArrayState("/dev/md127")
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) || !strings.Contains(err.Error(), "/dev/md127") {
					t.Errorf("error %v, want %q", err, tt.err)
				}
				return
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil || got.InSync() != tt.inSync {
				t.Errorf("error %v, in sync %t (-want +got):\n%s", err, got.InSync(), diff)
			}
		})
	}
}
