// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/testfiles"
)

// onOneDisk compares two filesystems and the disk itself with a stripe.
const onOneDisk = `
devices: [{name: d0, path: /dev/disk/by-id/virtio-zfsbench-d0}]
pool: {vdevs: [{type: stripe, devices: [d0]}]}
dataset: {properties: {checksum: "off"}}
workloads:
- {name: seq-write, fio: {rw: write, bs: 128k, size: 64Mi, numJobs: 4}}
- {name: seq-read, fio: {rw: read, bs: 128k, size: 64Mi, numJobs: 4}}
baselines:
- name: ext4-journal
  filesystem: {type: ext4, device: d0, mkfsOptions: [blockSize=4096], mountOptions: [data=journal, noatime]}
- {name: btrfs, filesystem: {type: btrfs, device: d0}}
- {name: raw, raw: {device: d0}}
repetitions: {min: 6, seed: 42}
comparison: {reference: ext4-journal}
`

// baselineInput is what such a benchmark comes to.
func baselineInput(t testing.TB) model.Input {
	t.Helper()
	speed := map[string]float64{"default": 0.9, "ext4-journal": 1, "btrfs": 1.1, "raw": 1.5}
	in := experimentInput(t, onOneDisk, reality{speed: speed, cv: 0.01, drift: 0.05, slow: -1}, "storage-0")
	facts := map[string]*result.BaselineFacts{
		"ext4-journal": {
			Type: "ext4", SizeBytes: 4 << 30, AvailableBytes: 3 << 30, CacheBudgetBytes: 8 << 30,
			MountOptions: "rw,nosuid,nodev,noexec,noatime,data=journal",
			MadeWith:     []string{"mke2fs", "-q", "-t", "ext4"},
		},
		"btrfs": {Type: "btrfs", SizeBytes: 4 << 30, AvailableBytes: 3 << 30, CacheBudgetBytes: 8 << 30,
			MountOptions: "rw,nosuid,nodev,noexec,relatime"},
		"raw": {Type: "raw", CacheBudgetBytes: 8 << 30},
	}
	yes, no := new(true), new(false)
	features := map[string]*result.Features{
		"default": {
			UserXattr: yes, PosixACL: no, Reflink: yes, TemporaryFile: yes, PunchHole: yes, DirectIO: yes,
			Journal: result.JournalIntentLog, Quota: yes, Grow: yes, Shrink: yes, Defragment: no, Send: yes,
		},
		"ext4-journal": {
			UserXattr: yes, PosixACL: yes, Reflink: no, TemporaryFile: yes, PunchHole: yes, Journal: result.JournalMetadata,
			Quota: yes, Grow: yes, Shrink: no, Defragment: no, Send: no,
		},
		"btrfs": {UserXattr: yes, Journal: "Diary", Quota: yes, Defragment: yes, Send: yes},
	}
	for n, trial := range in.Nodes[0].Trials {
		if trial.Repetition > 1 {
			in.Nodes[0].Trials[n].Features = features[trial.Variant]
		}
		for i := range trial.Samples {
			if trial.Samples[i].Baseline = facts[trial.Variant]; facts[trial.Variant] != nil {
				trial.Samples[i].Pool = result.PoolFacts{}
			}
		}
	}
	return in
}

func TestBaselinesGolden(t *testing.T) {
	page := build(t, baselineInput(t)).Markdown
	checkMarkdown(t, page)
	testfiles.Compare(t, "summary-baselines.md", string(page))
}

// onArrays compares md RAID with raidz1, equally redundant, and a stripe of both kinds.
const onArrays = `
devices:
- {name: d0, path: /dev/disk/by-id/virtio-zfsbench-d0}
- {name: d1, path: /dev/disk/by-id/virtio-zfsbench-d1}
- {name: d2, path: /dev/disk/by-id/virtio-zfsbench-d2}
pool: {vdevs: [{type: raidz1, devices: [d0, d1, d2]}]}
dataset: {properties: {checksum: "off"}}
workloads:
- {name: seq-write, fio: {rw: write, bs: 128k, size: 64Mi, numJobs: 4}}
- {name: seq-read, fio: {rw: read, bs: 128k, size: 64Mi, numJobs: 4}}
baselines:
- {name: raid5, filesystem: {type: ext4, md: {level: raid5, devices: [d0, d1, d2], chunkSize: 64Ki, bitmap: Internal}}}
- {name: raid0, raw: {md: {level: raid0, devices: [d0, d1, d2]}}}
repetitions: {min: 6, seed: 42}
comparison: {reference: raid5}
`

// arrayInput is what such a benchmark comes to.
func arrayInput(t testing.TB) model.Input {
	t.Helper()
	in := experimentInput(t, onArrays, reality{speed: map[string]float64{"default": 0.9, "raid5": 1, "raid0": 1.6},
		cv: 0.01, drift: 0.05, slow: -1}, "storage-0")
	facts := map[string]*result.BaselineFacts{
		"raid5": {
			Type: "ext4", SizeBytes: 8 << 30, AvailableBytes: 7 << 30, CacheBudgetBytes: 8 << 30,
			MountOptions: "rw,nosuid,nodev,noexec,relatime", MadeWith: []string{"mke2fs", "-q", "-t", "ext4"},
			Array: &result.ArrayFacts{Level: "raid5", Disks: 3, ChunkBytes: 64 << 10, Layout: "left-symmetric",
				Bitmap: "internal", LeastSyncBytesPerSecond: 1000 << 10, MostSyncBytesPerSecond: 200000 << 10,
				MadeWith: []string{"mdadm", "--create", "/dev/md/a"}},
		},
		"raid0": {
			Type: "raw", CacheBudgetBytes: 8 << 30, Array: &result.ArrayFacts{Level: "raid0", Disks: 3,
				ChunkBytes: 512 << 10, Bitmap: "none", MadeWith: []string{"mdadm", "--create", "/dev/md/b"}},
		},
	}
	for _, trial := range in.Nodes[0].Trials {
		for i := range trial.Samples {
			if trial.Samples[i].Baseline = facts[trial.Variant]; facts[trial.Variant] != nil {
				trial.Samples[i].Pool = result.PoolFacts{}
			}
		}
	}
	return in
}

func TestArraysGolden(t *testing.T) {
	page := build(t, arrayInput(t)).Markdown
	checkMarkdown(t, page)
	testfiles.Compare(t, "summary-arrays.md", string(page))
}

// An array is ranked beside the pool that survives the loss of as many devices, and its columns say what it is.
func TestDocumentsOfArrays(t *testing.T) {
	out := build(t, arrayInput(t))
	var document model.Report
	if err := json.Unmarshal(out.JSON, &document); err != nil {
		t.Fatal(err)
	}
	for _, v := range document.Variants {
		if want := map[string]int{"default": 1, "raid5": 1, "raid0": 0}[v.Name]; v.Redundancy != want || v.UsableBytes <= 0 {
			t.Errorf("variant %s: redundancy %d, usable %d", v.Name, v.Redundancy, v.UsableBytes)
		}
	}
	rows, err := csv.NewReader(bytes.NewReader(out.CSV)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"default": {"", "", "", "", ""},
		"raid5": {"raid5", "3", "65536", "left-symmetric", "internal"}, "raid0": {"raid0", "3", "524288", "", "none"}}
	variant := slices.Index(rows[0], "variant")
	for _, row := range rows[1:] {
		for i, header := range []string{"array_level", "array_disks", "array_chunk_bytes", "array_layout", "array_bitmap"} {
			if got := row[slices.Index(rows[0], header)]; got != want[row[variant]][i] {
				t.Fatalf("variant %s has %s %q", row[variant], header, got)
			}
		}
	}
}

// Where there is no pool, nothing says what a pool would be, and the other way round.
func TestDocumentsOfBaselines(t *testing.T) {
	out := build(t, baselineInput(t))
	var document model.Report
	if err := json.Unmarshal(out.JSON, &document); err != nil {
		t.Fatal(err)
	}
	for _, v := range document.Variants {
		if (v.Baseline != nil) != (v.Name != "default") || (len(v.Pool.Vdevs) > 0) != (v.Name == "default") ||
			v.UsableBytes <= 0 {
			t.Errorf("variant %+v", v)
		}
	}
	rows, err := csv.NewReader(bytes.NewReader(out.CSV)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, header := range rows[0] {
		column[header] = i
	}
	for _, row := range rows[1:] {
		onZFS := row[column["variant"]] == "default"
		for _, header := range []string{"pool_health", "pool_size_bytes", "pool_fragmentation_percent",
			"dataset_compress_ratio"} {
			if (row[column[header]] != "") != onZFS {
				t.Fatalf("variant %s has %s %q", row[column["variant"]], header, row[column[header]])
			}
		}
		for _, header := range []string{"baseline", "baseline_cache_budget_bytes"} {
			if (row[column[header]] == "") != onZFS {
				t.Fatalf("variant %s has %s %q", row[column["variant"]], header, row[column[header]])
			}
		}
	}
}

// A filesystem on a volume has the facts of both: its own, and those of the pool below it.
func TestDocumentsOfAVolumesFilesystem(t *testing.T) {
	in := experimentInput(t, strings.Replace(onOneDisk, `dataset: {properties: {checksum: "off"}}`,
		`dataset: {type: Volume, volume: {size: 1Gi, filesystem: {type: ext4}}}`, 1),
		reality{speed: map[string]float64{"default": 1, "ext4-journal": 1, "btrfs": 1, "raw": 1}, slow: -1}, "storage-0")
	for _, trial := range in.Nodes[0].Trials {
		for i := range trial.Samples {
			trial.Samples[i].Baseline = &result.BaselineFacts{Type: "ext4", SizeBytes: 1 << 30, AvailableBytes: 1 << 29,
				CacheBudgetBytes: 8 << 30}
			if trial.Variant != "default" {
				trial.Samples[i].Pool = result.PoolFacts{}
			}
		}
	}
	out := build(t, in)
	for _, want := range []string{"Baseline of variant default after seq-read: ext4",
		"Pool of variant default after seq-read: ONLINE"} {
		if !strings.Contains(string(out.Markdown), want) {
			t.Errorf("summary.md lacks %q:\n%s", want, out.Markdown)
		}
	}
	rows, err := csv.NewReader(bytes.NewReader(out.CSV)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	variant, health, baseline := slices.Index(rows[0], "variant"), slices.Index(rows[0], "pool_health"),
		slices.Index(rows[0], "baseline")
	for _, row := range rows[1:] {
		if (row[health] == "ONLINE") != (row[variant] == "default") || row[baseline] != "ext4" {
			t.Fatalf("variant %s: pool %q, filesystem %q", row[variant], row[health], row[baseline])
		}
	}
}
