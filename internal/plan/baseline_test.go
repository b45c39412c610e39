// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
)

func onExt4(name string) Variant {
	return Variant{Name: name, Baseline: &v1alpha1.Baseline{Name: v1alpha1.AxisValueName(name),
		Filesystem: &v1alpha1.FilesystemBaseline{FilesystemSpec: v1alpha1.FilesystemSpec{Type: "ext4"}, Device: "d0"}}}
}

func rawDisk() Variant {
	return Variant{Name: "raw", Baseline: &v1alpha1.Baseline{Name: "raw", Raw: &v1alpha1.RawBaseline{Device: "d0"}}}
}

func TestSpaceOfBaselines(t *testing.T) {
	disk := []Device{{Name: "d0", Path: "/dev/disk/by-id/a", Serial: "s", SizeBytes: 1<<30 + 2<<20}}
	tests := map[string]struct {
		variant Variant
		size    string
		want    Fit
	}{
		"ext4, little":   {onExt4("a"), "100Mi", FitYes},
		"ext4, narrow":   {onExt4("a"), "1000Mi", FitMaybe},
		"ext4, too much": {onExt4("a"), "1100Mi", FitNo},
		"raw, all of it": {rawDisk(), "1Gi", FitYes},
		"raw, too much":  {rawDisk(), "1025Mi", FitNo},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := Plan{Devices: disk, Workloads: []v1alpha1.Workload{{Name: "w",
				Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioWrite, Size: resource.MustParse(tt.size), NumJobs: 1}}}}
			got := EstimateSpace(Expand(p, nil), tt.variant)
			if got.Fit != tt.want || got.DeviceBytes != 1<<30 || got.UsableBytes <= 0 || got.UsableBytes > got.DeviceBytes {
				t.Errorf("got %+v, want fit %v", got, tt.want)
			}
		})
	}
}

// onArray is a filesystem on an md array.
func onArray(level v1alpha1.MDLevel, devices ...string) Variant {
	return Variant{Name: "md", Baseline: &v1alpha1.Baseline{Name: "md", Filesystem: &v1alpha1.FilesystemBaseline{
		FilesystemSpec: v1alpha1.FilesystemSpec{Type: "ext4"}, MD: &v1alpha1.MDArray{Level: level, Devices: devices},
	}}}
}

// disks are some of one size, in GiB.
func disks(n int, gib int64) []Device {
	var all []Device
	for i := range n {
		all = append(all, Device{Name: fmt.Sprintf("d%d", i), Path: fmt.Sprintf("/dev/disk/by-id/%d", i), Serial: "s",
			SizeBytes: gib<<30 + 2<<20})
	}
	return all
}

func TestSpaceOfArrays(t *testing.T) {
	raw := func(v Variant) Variant {
		v.Baseline.Raw, v.Baseline.Filesystem = &v1alpha1.RawBaseline{MD: v.Array()}, nil
		return v
	}
	tests := map[string]struct {
		variant Variant
		size    string
		// gib is the most that the array can have.
		gib  int64
		want Fit
	}{
		"raid0":              {onArray(v1alpha1.MDRaid0, "d0", "d1"), "1700Mi", 2, FitYes},
		"raid1":              {onArray(v1alpha1.MDRaid1, "d0", "d1"), "800Mi", 1, FitYes},
		"raid1, narrow":      {onArray(v1alpha1.MDRaid1, "d0", "d1"), "1000Mi", 1, FitMaybe},
		"raid1, too much":    {onArray(v1alpha1.MDRaid1, "d0", "d1"), "1100Mi", 1, FitNo},
		"raid5":              {onArray(v1alpha1.MDRaid5, "d0", "d1", "d2"), "1700Mi", 2, FitYes},
		"raid6":              {onArray(v1alpha1.MDRaid6, "d0", "d1", "d2", "d3"), "1700Mi", 2, FitYes},
		"raid10":             {onArray(v1alpha1.MDRaid10, "d0", "d1", "d2", "d3"), "1700Mi", 2, FitYes},
		"raw, fits":          {raw(onArray(v1alpha1.MDRaid0, "d0", "d1")), "2000Mi", 2, FitYes},
		"raw, to the edge":   {raw(onArray(v1alpha1.MDRaid0, "d0", "d1")), "2047Mi", 2, FitMaybe},
		"raw, too much":      {raw(onArray(v1alpha1.MDRaid0, "d0", "d1")), "2049Mi", 2, FitNo},
		"the smallest disk":  {onArray(v1alpha1.MDRaid0, "d0", "small"), "1100Mi", 1, FitNo},
		"a partition of one": {onArray(v1alpha1.MDRaid1, "d0", "p0"), "600Mi", 1, FitNo},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := Plan{
				Devices: append(disks(4, 1), Device{Name: "small", Path: "/dev/disk/by-id/s", SizeBytes: 512<<20 + 2<<20},
					Device{Name: "split", Path: "/dev/disk/by-id/p", SizeBytes: 1 << 30,
						Partitions: []Partition{{"p0", 512 << 20}, {"p1", 0}}}),
				Workloads: []v1alpha1.Workload{{Name: "w",
					Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioWrite, Size: resource.MustParse(tt.size), NumJobs: 1}}},
			}
			got := EstimateSpace(Expand(p, nil), tt.variant)
			if got.Fit != tt.want || got.UsableBytes <= 0 || got.UsableBytes > got.DeviceBytes || got.DeviceBytes > tt.gib<<30 ||
				tt.want == FitYes && got.DeviceBytes < tt.gib<<30*99/100 {
				t.Errorf("got %+v, want fit %v and nearly %d GiB", got, tt.want, tt.gib)
			}
		})
	}
}

// The first sync reads or writes every device once, all at the same time.
func TestTimeOfTheFirstSync(t *testing.T) {
	tests := map[string]struct {
		variant Variant
		want    time.Duration
	}{
		"raid0 has none":      {onArray(v1alpha1.MDRaid0, "d0", "d1"), 0},
		"raid1":               {onArray(v1alpha1.MDRaid1, "d0", "d1"), 64 * 1024 * time.Second},
		"as long with more":   {onArray(v1alpha1.MDRaid6, "d0", "d1", "d2", "d3"), 64 * 1024 * time.Second},
		"no array, no sync":   {onExt4("a"), 0},
		"an array of nothing": {onArray(v1alpha1.MDRaid1), 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := Plan{Devices: disks(4, 1024), Variants: []Variant{tt.variant}}
			if got := syncing(p); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if got := EstimateTrialDuration(Expand(p, nil)); got < tt.want+perTrial {
				t.Errorf("a trial takes %s", got)
			}
		})
	}
}

// What the files take is held against the filesystem, not only against the volume that it is on.
func TestSpaceOfAVolumesFilesystem(t *testing.T) {
	v := Variant{Name: "a", Dataset: v1alpha1.DatasetSpec{Type: v1alpha1.DatasetVolume, Volume: &v1alpha1.VolumeSpec{
		Size: resource.MustParse("1Gi"), Filesystem: &v1alpha1.FilesystemSpec{Type: "ext4"},
	}}}
	for size, want := range map[string]Fit{"100Mi": FitYes, "1000Mi": FitMaybe, "1100Mi": FitNo} {
		p := Plan{Workloads: []v1alpha1.Workload{{Name: "w",
			Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioWrite, Size: resource.MustParse(size), NumJobs: 1}}}}
		if got := EstimateFilesystem(Expand(p, nil), v); got.Fit != want || got.DeviceBytes != 1<<30 {
			t.Errorf("%s: %+v, want fit %v", size, got, want)
		}
	}
	v.Dataset.Volume.Filesystem = nil
	if v.Filesystem() != nil {
		t.Error("a volume without a filesystem has one")
	}
}

// A filesystem that leaves nothing to initialise later takes long to be made on a large disk.
func TestTimeToMakeAFilesystem(t *testing.T) {
	p := Plan{Devices: []Device{{Name: "d0", Path: "/dev/disk/by-id/a", SizeBytes: 1 << 40}},
		Variants: []Variant{rawDisk()}}
	before := EstimateTrialDuration(Expand(p, nil))
	p.Variants = append(p.Variants, onExt4("a"))
	if more := EstimateTrialDuration(Expand(p, nil)) - before; more < 15*time.Minute || more > 20*time.Minute {
		t.Errorf("it takes %s longer", more)
	}
}

func TestPlanOfBaselines(t *testing.T) {
	good := func() Plan {
		p := built(t, onDisks)
		p.Variants = append(p.Variants, onExt4("ext4"), rawDisk())
		p.Trials = append(p.Trials, Trial{Index: len(p.Trials), Variant: "ext4", Repetition: 1})
		return p
	}
	if err := check(good()); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		change func(*Plan)
		want   string
	}{
		"a pool beside it": {func(p *Plan) {
			v := &p.Variants[len(p.Variants)-1]
			v.Pool = p.Variants[0].Pool
		}, "variant raw"},
		"a dataset beside it": {func(p *Plan) {
			v := &p.Variants[len(p.Variants)-1]
			v.Dataset.Type = v1alpha1.DatasetFilesystem
		}, "a baseline has neither pool nor dataset"},
		"an escape": {func(p *Plan) {
			p.Variants[len(p.Variants)-2].Baseline.Filesystem.MountOptions = []v1alpha1.FilesystemOption{"data=ordered,suid"}
		}, "should match"},
		"another option": {func(p *Plan) {
			p.Variants[len(p.Variants)-2].Baseline.Filesystem.MkfsOptions = []v1alpha1.FilesystemOption{"label=x"}
		}, "label is not an option"},
		"no such device": {func(p *Plan) { p.Variants[len(p.Variants)-1].Baseline.Raw.Device = "d9" }, "d9"},
		"an array of one": {func(p *Plan) {
			p.Variants[len(p.Variants)-1].Baseline.Raw = &v1alpha1.RawBaseline{MD: &v1alpha1.MDArray{Level: v1alpha1.MDRaid1,
				Devices: []string{"d0"}}}
		}, "should have at least 2 items"},
		"a level of nobody": {func(p *Plan) {
			p.Variants[len(p.Variants)-1].Baseline.Raw = &v1alpha1.RawBaseline{MD: &v1alpha1.MDArray{Level: "raid5 --force",
				Devices: []string{"d0", "d1"}}}
		}, "raid5 --force"},
		"an array of nothing": {func(p *Plan) {
			p.Variants[len(p.Variants)-1].Baseline.Raw = &v1alpha1.RawBaseline{MD: &v1alpha1.MDArray{Level: v1alpha1.MDRaid1}}
		}, "md.devices: Required value"},
		"nothing": {func(p *Plan) {
			p.Variants[len(p.Variants)-1].Baseline.Raw = nil
		}, "exactly one of filesystem, raw and persistentVolume"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := good()
			tt.change(&p)
			if err := check(p); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
