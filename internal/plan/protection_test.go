// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
)

func TestProtection(t *testing.T) {
	vdev := func(kind v1alpha1.VdevType, devices int) v1alpha1.Vdev {
		v := v1alpha1.Vdev{Type: kind}
		for i := range devices {
			v.Devices = append(v.Devices, fmt.Sprintf("d%d", i))
		}
		return v
	}
	plain := func(redundancy int) Protection { return Protection{redundancy, "standard", "on"} }
	tests := map[string]struct {
		vdevs      []v1alpha1.Vdev
		properties v1alpha1.DatasetProperties
		want       Protection
	}{
		"none":            {nil, nil, plain(0)},
		"stripe":          {[]v1alpha1.Vdev{vdev(v1alpha1.VdevStripe, 4)}, nil, plain(0)},
		"mirrors":         {[]v1alpha1.Vdev{vdev(v1alpha1.VdevMirror, 2), vdev(v1alpha1.VdevMirror, 2)}, nil, plain(1)},
		"mirror of three": {[]v1alpha1.Vdev{vdev(v1alpha1.VdevMirror, 3)}, nil, plain(2)},
		"the weakest":     {[]v1alpha1.Vdev{vdev(v1alpha1.VdevMirror, 3), vdev(v1alpha1.VdevMirror, 2)}, nil, plain(1)},
		"raidz1":          {[]v1alpha1.Vdev{vdev(v1alpha1.VdevRaidz1, 4)}, nil, plain(1)},
		"raidz3":          {[]v1alpha1.Vdev{vdev(v1alpha1.VdevRaidz3, 8)}, nil, plain(3)},
		"draid2":          {[]v1alpha1.Vdev{vdev(v1alpha1.VdevDraid2, 8)}, nil, plain(2)},
		"no sync":         {nil, v1alpha1.DatasetProperties{"sync": "disabled"}, Protection{0, "disabled", "on"}},
		"no checksum":     {nil, v1alpha1.DatasetProperties{"checksum": "off"}, Protection{0, "standard", "off"}},
		"fletcher4 is on": {nil, v1alpha1.DatasetProperties{"checksum": "fletcher4"}, plain(0)},
		"another checksum": {nil, v1alpha1.DatasetProperties{"checksum": "sha256", "sync": "always"},
			Protection{0, "always", "sha256"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := ProtectionOf(Variant{Pool: v1alpha1.PoolSpec{Vdevs: tt.vdevs},
				Dataset: v1alpha1.DatasetSpec{Properties: tt.properties}})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnlike(t *testing.T) {
	a := Protection{1, "standard", "on"}
	tests := map[string]struct {
		b    Protection
		want string
	}{
		"equal":      {a, ""},
		"redundancy": {Protection{0, "standard", "on"}, "redundancy 0, not 1"},
		"all": {Protection{2, "disabled", "off"}, "redundancy 2, not 1, sync disabled, not standard, checksum off, " +
			"not on"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tt.b.Unlike(a); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestProtectionOfBaselines(t *testing.T) {
	of := func(kind v1alpha1.FilesystemType, options ...v1alpha1.FilesystemOption) *v1alpha1.Baseline {
		return &v1alpha1.Baseline{Filesystem: &v1alpha1.FilesystemBaseline{FilesystemSpec: v1alpha1.FilesystemSpec{Type: kind,
			MountOptions: options}}}
	}
	array := func(level v1alpha1.MDLevel, devices int) *v1alpha1.Baseline {
		return &v1alpha1.Baseline{Filesystem: &v1alpha1.FilesystemBaseline{
			FilesystemSpec: v1alpha1.FilesystemSpec{Type: "xfs"},
			MD:             &v1alpha1.MDArray{Level: level, Devices: make([]string, devices)},
		}}
	}
	tests := map[string]struct {
		baseline *v1alpha1.Baseline
		want     Protection
	}{
		"raid0":          {array(v1alpha1.MDRaid0, 3), Protection{0, "standard", "off"}},
		"raid1":          {array(v1alpha1.MDRaid1, 2), Protection{1, "standard", "off"}},
		"raid1 of three": {array(v1alpha1.MDRaid1, 3), Protection{2, "standard", "off"}},
		"raid5":          {array(v1alpha1.MDRaid5, 5), Protection{1, "standard", "off"}},
		"raid6":          {array(v1alpha1.MDRaid6, 6), Protection{2, "standard", "off"}},
		"raid10":         {array(v1alpha1.MDRaid10, 6), Protection{1, "standard", "off"}},
		"a raw raid1": {&v1alpha1.Baseline{Raw: &v1alpha1.RawBaseline{MD: &v1alpha1.MDArray{Level: v1alpha1.MDRaid1,
			Devices: make([]string, 2)}}}, Protection{1, "standard", "off"}},
		"raw":           {&v1alpha1.Baseline{Raw: &v1alpha1.RawBaseline{}}, Protection{0, "standard", "off"}},
		"ext4":          {of("ext4"), Protection{0, "standard", "off"}},
		"btrfs":         {of("btrfs"), Protection{0, "standard", "on"}},
		"btrfs without": {of("btrfs", "nodatasum"), Protection{0, "standard", "off"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, ProtectionOf(Variant{Baseline: tt.baseline})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
