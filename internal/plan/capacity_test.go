// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
)

const gibibyte = 1 << 30

// variantOf decodes a pool and a dataset in YAML, on disks of one size that are called d0 and so on.
func variantOf(t *testing.T, pool, dataset string, disk int64) Plan {
	t.Helper()
	v := Variant{Name: "default"}
	for text, to := range map[string]any{pool: &v.Pool, dataset: &v.Dataset} {
		if err := yaml.UnmarshalStrict([]byte(text), to); err != nil {
			t.Fatal(err)
		}
	}
	p := Plan{Variants: []Variant{v}}
	for i := range 16 {
		p.Devices = append(p.Devices, Device{Name: fmt.Sprintf("d%d", i), Path: "/dev/disk/by-id/x", SizeBytes: disk})
	}
	return p
}

// TestUsableSpaceOfRealPools holds the estimate against what OpenZFS 2.3.9 says of pools that are nearly empty: `zfs
// get` of the dataset beside `zpool get` of the pool, captured on the development cluster. The estimate knows nothing
// of the few hundred KiB that a new pool holds.
func TestUsableSpaceOfRealPools(t *testing.T) {
	const dataset = `{type: Filesystem}`
	tests := map[string]struct {
		pool string
		real int64
	}{
		"a mirror of 1 GiB":    {`{ashift: 12, vdevs: [{type: mirror, devices: [d0, d1]}]}`, capturedProperties(t)},
		"two mirrors of 1 GiB": {`{ashift: 12, vdevs: [{type: mirror, devices: [d0, d1]}, {type: mirror, devices: [d2, d3]}]}`, capturedTrial(t)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := variantOf(t, tt.pool, dataset, gibibyte)
			got := EstimateSpace(Expand(p, nil), p.Variants[0]).UsableBytes
			if off := got - tt.real; off < 0 || off > mebibyte {
				t.Errorf("estimated %d, really %d: %d bytes off", got, tt.real, off)
			}
		})
	}
}

// capturedProperties is available and used of the dataset in `zfs get`.
func capturedProperties(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("../storage/zfs/testdata/zfs-get-2.3.9.txt")
	if err != nil {
		t.Fatal(err)
	}
	properties := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		properties[name] = value
	}
	return space(t, properties)
}

// capturedTrial is the same of a trial's first workload.
func capturedTrial(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("../report/testdata/trials/storage-0-0.json")
	if err != nil {
		t.Fatal(err)
	}
	var trial struct {
		Samples []struct {
			Pool struct{ DatasetProperties map[string]string }
		}
	}
	if err := json.Unmarshal(text, &trial); err != nil {
		t.Fatal(err)
	}
	return space(t, trial.Samples[0].Pool.DatasetProperties)
}

func space(t *testing.T, properties map[string]string) int64 {
	t.Helper()
	var total int64
	for _, name := range []string{"available", "used"} {
		n, err := strconv.ParseInt(properties[name], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		total += n
	}
	return total
}

// TestUsableSpace computes by hand what OpenZFS's sources say.
func TestUsableSpace(t *testing.T) {
	const filesystem = `{type: Filesystem}`
	tests := map[string]struct {
		pool, dataset string
		disk          int64
		want          int64
	}{
		// 15 metaslabs of 64 MiB each, less the least slop of 128 MiB.
		"two disks": {`{vdevs: [{type: stripe, devices: [d0, d1]}]}`, filesystem, gibibyte, (2*960 - 128) * mebibyte},
		// 11 metaslabs of 256 MiB; 32 sectors become 48.
		"raidz1": {`{ashift: 12, vdevs: [{type: raidz1, devices: [d0, d1, d2]}]}`, filesystem, gibibyte,
			2816*mebibyte*2/3 - 128*mebibyte},
		// 4 sectors become 6, and 6 are even.
		"raidz1, volume": {
			`{ashift: 12, vdevs: [{type: raidz1, devices: [d0, d1, d2]}]}`, `{type: Volume, volume: {size: 1Mi}}`, gibibyte,
			2816*mebibyte*2/3 - 128*mebibyte,
		},
		// 1 sector becomes 2: half, in place of two thirds.
		"raidz1, small blocks": {
			`{ashift: 12, vdevs: [{type: raidz1, devices: [d0, d1, d2]}]}`, `{type: Filesystem, properties: {recordsize: 4k}}`,
			gibibyte,
			(2816*mebibyte*2/3 - 128*mebibyte) * 3 / 4,
		},
		// 199 metaslabs of 4 GiB, 1/32 kept back; 32 sectors in 6 data columns need 6 rows with 2 of parity each, and 44
		// become 45.
		"raidz2 of eight": {
			`{ashift: 12, vdevs: [{type: raidz2, devices: [d0, d1, d2, d3, d4, d5, d6, d7]}]}`, filesystem, 100 * gibibyte,
			199 * 4 * gibibyte * 31 / 45,
		},
		// 1 TiB: slop is 1/32.
		"a large disk": {`{vdevs: [{type: stripe, devices: [d0]}]}`, filesystem, 1 << 40, 127 * 8 * gibibyte / 32 * 31},
		// 5 TiB in each of 16: slop stays at 128 GiB.
		"a large pool": {
			`{vdevs: [{type: stripe, devices: [d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12, d13, d14, d15]}]}`,
			filesystem, 5 << 40,
			16*319*16*gibibyte - 128*gibibyte,
		},
		// Each of 4 disks, one of them spare, gives 61 rows of 16 MiB; groups of 3 make 183 of them whole; 11 metaslabs of
		// 256 MiB.
		"draid": {
			`{ashift: 12, vdevs: [{type: draid1, devices: [d0, d1, d2, d3], draid: {data: 2, spares: 1}}]}`, filesystem,
			gibibyte,
			2816*mebibyte*2/3 - 128*mebibyte,
		},
		// Each record of 512 bytes takes a sector of 64 KiB.
		"records smaller than a sector": {
			`{ashift: 16, vdevs: [{type: stripe, devices: [d0]}]}`, `{type: Filesystem, properties: {recordsize: "512"}}`,
			gibibyte, 832 * mebibyte / 128,
		},
		// And on raidz1 another one for parity, where 128 KiB are 2 sectors, which 1 of parity and 1 to fill up make
		// 4.
		"records smaller than a sector of raidz1": {
			`{ashift: 16, vdevs: [{type: raidz1, devices: [d0, d1, d2]}]}`,
			`{type: Filesystem, properties: {recordsize: "512"}}`, gibibyte,
			(2816*mebibyte/2 - 128*mebibyte) / 128,
		},
		"too small for anything": {`{vdevs: [{type: stripe, devices: [d0]}]}`, filesystem, 4 * mebibyte, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := variantOf(t, tt.pool, tt.dataset, tt.disk)
			got := EstimateSpace(Expand(p, nil), p.Variants[0]).UsableBytes
			if off := got - tt.want; off < -1 || off > 1 {
				t.Errorf("UsableBytes = %d, want %d", got, tt.want)
			}
		})
	}
}

func TestNeededSpace(t *testing.T) {
	const mirror = `{ashift: 12, vdevs: [{type: mirror, devices: [d0, d1]}]}` // has 832 MiB
	type want struct {
		MiB int64
		Fit Fit
	}
	tests := map[string]struct {
		dataset, workloads string
		want               want
	}{
		"a file":              {`{}`, `[{fio: {rw: write, bs: 128k, size: 256Mi}}]`, want{256 + 16, FitYes}},
		"jobs have their own": {`{}`, `[{fio: {rw: write, bs: 128k, size: 128Mi, numJobs: 4}}]`, want{512 + 17, FitYes}},
		"workloads share": {`{}`, `[{fio: {rw: write, size: 512Mi}}, {fio: {rw: read, size: 512Mi}}]`,
			want{512 + 17, FitYes}},
		"other sizes do not": {`{}`, `[{fio: {rw: write, size: 256Mi}}, {fio: {rw: read, size: 128Mi}}]`,
			want{384 + 16, FitYes}},
		"nor does other content":   {`{}`, `[{fio: {rw: write, size: 256Mi}}, {fio: {rw: write, size: 256Mi, bufferCompressPercentage: 0}}]`, want{512 + 17, FitYes}},
		"own files are not shared": {`{}`, `[{name: a, fio: {rw: write, size: 256Mi}}, {name: b, fio: {rw: read, size: 256Mi, ownFiles: true}}]`, want{512 + 17, FitYes}},
		"named jobs have theirs": {`{}`, `[{fio: {rw: write, size: 128Mi, jobs: [{name: a}, {name: b, numJobs: 2}]}}]`,
			want{384 + 16, FitYes}},
		"the same in another": {`{}`, `[{fio: {rw: write, size: 128Mi, jobs: [{name: a}, {name: b}]}}, {fio: {rw: read, size: 128Mi, jobs: [{name: a}]}}]`, want{256 + 16, FitYes}},
		"one job may be ended": {`{}`, `[{fio: {rw: write, size: 600Mi, jobs: [{name: a}, {name: b, runtime: 10s}]}}]`,
			want{1200 + 18, FitMaybe}},
		"small records": {`{properties: {recordsize: 4k}}`, `[{fio: {rw: write, size: 256Mi}}]`,
			want{256 + 16 + 16, FitYes}},
		"a table for duplicates": {`{properties: {recordsize: 4k, dedup: "on"}}`, `[{fio: {rw: write, size: 256Mi}}]`,
			want{256 + 16 + 48, FitYes}},
		"two copies": {`{properties: {copies: "2"}}`, `[{fio: {rw: write, size: 256Mi}}]`,
			want{512 + 17, FitYes}},
		"close":                {`{}`, `[{fio: {rw: write, size: 820Mi}}]`, want{820 + 17, FitMaybe}},
		"too much":             {`{}`, `[{fio: {rw: write, size: 1Gi}}]`, want{1024 + 18, FitNo}},
		"a runtime may end it": {`{}`, `[{fio: {rw: write, size: 1Gi, runtime: 10s}}]`, want{1024 + 18, FitMaybe}},
		"not its layout":       {`{}`, `[{fio: {rw: randwrite, size: 1Gi, runtime: 10s}}]`, want{1024 + 18, FitNo}},
		"it may shrink": {`{}`, `[{fio: {rw: write, size: 1Gi, bufferCompressPercentage: 50}}]`,
			want{1024 + 18, FitMaybe}},
		"not without compression": {`{properties: {compression: "off"}}`,
			`[{fio: {rw: write, size: 1Gi, bufferCompressPercentage: 50}}]`, want{1024 + 18, FitNo}},
		"duplicates": {`{properties: {dedup: "on"}}`, `[{fio: {rw: write, size: 1Gi, dedupePercentage: 50}}]`,
			want{1024 + 22, FitMaybe}},
		"duplicates kept": {`{}`, `[{fio: {rw: write, size: 1Gi, dedupePercentage: 50}}]`, want{1024 + 18, FitNo}},
		"a volume": {`{type: Volume, volume: {size: 512Mi}}`, `[{fio: {rw: write, size: 64Mi}}]`,
			want{512 + 24, FitYes}},
		"too large a volume": {`{type: Volume, volume: {size: 1Gi}}`, `[{fio: {rw: write, size: 64Mi}}]`,
			want{1024 + 32, FitNo}},
		"a sparse one": {`{type: Volume, volume: {size: 1Gi, sparse: true}}`, `[{fio: {rw: write, size: 64Mi}}]`,
			want{64 + 17, FitYes}},
		"jobs on a sparse one": {`{type: Volume, volume: {size: 1Gi, sparse: true}}`,
			`[{fio: {rw: write, size: 64Mi, jobs: [{name: a}, {name: b}]}}]`, want{128 + 18, FitYes}},
		"all of a sparse one": {`{type: Volume, volume: {size: 1Gi, sparse: true}}`, `[{fio: {rw: read, size: 1Gi}}]`,
			want{1024 + 32, FitNo}},
		"beyond all numbers": {`{properties: {copies: "3"}}`, `[{fio: {rw: write, size: 64Ti, numJobs: 100000}}]`,
			want{1 << 42, FitNo}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := variantOf(t, mirror, tt.dataset, gibibyte)
			if err := yaml.UnmarshalStrict([]byte(tt.workloads), &p.Workloads); err != nil {
				t.Fatal(err)
			}
			got := EstimateSpace(Expand(p, nil), p.Variants[0])
			if diff := cmp.Diff(tt.want, want{got.NeededBytes / mebibyte, got.Fit}); diff != "" ||
				got.DeviceBytes != 2*1022*mebibyte {
				t.Errorf("%+v (-want +got):\n%s", got, diff)
			}
		})
	}
}

// TestBlocksSmallerThanSectors: what they take shows in a quota, too. A volume's reservation does not count it on a
// mirror, so that a large volume of which little is written has room.
func TestBlocksSmallerThanSectors(t *testing.T) {
	tests := map[string]struct {
		dataset, workloads string
		want               Fit
	}{
		"few records":         {`{properties: {recordsize: "512"}}`, `[{fio: {rw: write, size: 128Ki}}]`, FitMaybe},
		"many records":        {`{properties: {recordsize: "512"}}`, `[{fio: {rw: write, size: 16Mi}}]`, FitNo},
		"records of a sector": {`{properties: {recordsize: 64K}}`, `[{fio: {rw: write, size: 256Mi}}]`, FitYes},
		"more than a quota": {`{properties: {recordsize: 4K}, quota: {size: 32Mi, sparse: true}}`,
			`[{fio: {rw: write, size: 4Mi}}]`, FitNo},
		"a volume, little written": {`{type: Volume, volume: {size: 512Mi}, properties: {volblocksize: 4K}}`,
			`[{fio: {rw: write, size: 16Mi}}]`, FitMaybe},
		"a volume written as it is": {`{type: Volume, volume: {size: 512Mi}, properties: {volblocksize: 4K}}`,
			`[{fio: {rw: write, size: 512Mi}}]`, FitNo},
		"a sparse one, much written": {`{type: Volume, volume: {size: 512Mi, sparse: true}, properties: {volblocksize: 4K}}`,
			`[{fio: {rw: write, size: 256Mi}}]`, FitNo},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := variantOf(t, `{ashift: 16, vdevs: [{type: mirror, devices: [d0, d1]}]}`, tt.dataset, gibibyte)
			if err := yaml.UnmarshalStrict([]byte(tt.workloads), &p.Workloads); err != nil {
				t.Fatal(err)
			}
			if got := EstimateSpace(Expand(p, nil), p.Variants[0]); got.Fit != tt.want {
				t.Errorf("%+v, want %v", got, tt.want)
			}
		})
	}
}

// TestSpecialDevicesMayHoldSmallBlocks: what does not fit on the data devices may fit on the others.
func TestSpecialDevicesMayHoldSmallBlocks(t *testing.T) {
	p := variantOf(t, `{vdevs: [{type: stripe, devices: [d0]}], special: [{type: stripe, devices: [d1]}]}`, `{}`, gibibyte)
	if err := yaml.UnmarshalStrict([]byte(`[{fio: {rw: write, size: 1Gi}}]`), &p.Workloads); err != nil {
		t.Fatal(err)
	}
	if got := EstimateSpace(Expand(p, nil), p.Variants[0]); got.Fit != FitMaybe {
		t.Errorf("Fit = %v", got)
	}
	p.Variants[0].Pool.Special = nil
	if got := EstimateSpace(Expand(p, nil), p.Variants[0]); got.Fit != FitNo {
		t.Errorf("without special devices Fit = %v", got)
	}
}

// TestFilesAreUsedAsTheyAre: only disks are partitioned.
func TestFilesAreUsedAsTheyAre(t *testing.T) {
	sizes := vdevBytes([]Device{
		{Name: "f", FileSizeBytes: 64 * mebibyte}, {Name: "d", Path: "/dev/x", SizeBytes: 64*mebibyte + 512},
		{Name: "ssd", Path: "/dev/y", SizeBytes: gibibyte,
			Partitions: []Partition{{Name: "slog", SizeBytes: 128 * mebibyte}, {Name: "l2arc"}}},
	})
	want := map[string]int64{"f": 64 * mebibyte, "d": 62 * mebibyte, "slog": 128 * mebibyte, "l2arc": 894 * mebibyte}
	if diff := cmp.Diff(want, sizes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := geometryOf(v1alpha1.Vdev{Type: v1alpha1.VdevDraid2, Devices: make([]string, 14)}); got.data != draidData ||
		got.disks != 14 {
		t.Errorf("default draid %+v", got)
	}
}
