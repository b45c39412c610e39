// SPDX-License-Identifier: Apache-2.0

package caveats

import (
	"math"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// scene is a benchmark of one variant and one workload, and what it measured in each of its trials.
type scene struct {
	plan       plan.Plan
	parameters map[string]string
	samples    []result.Sample
	facts      *result.NodeFacts
}

// honest is a scene without anything to warn of: 1 GiB written, then read, on a disk.
func honest() *scene {
	s := &scene{
		plan: plan.Plan{
			Node:    plan.Node{Name: "storage-0"},
			Devices: []plan.Device{{Name: "d0", Path: "/dev/disk/by-id/d0"}},
			Variants: []plan.Variant{{
				Name:    "default",
				Pool:    v1alpha1.PoolSpec{Vdevs: []v1alpha1.Vdev{{Type: v1alpha1.VdevStripe, Devices: []string{"d0"}}}},
				Dataset: v1alpha1.DatasetSpec{Type: v1alpha1.DatasetFilesystem},
			}},
			Workloads: []v1alpha1.Workload{{Name: "w", Cache: v1alpha1.CacheCold, Fio: &v1alpha1.FioWorkload{
				RW: v1alpha1.FioRandRW, BS: "128k", Size: resource.MustParse("1Gi"), IOEngine: "psync", IODepth: 1,
				Sync: v1alpha1.FioSyncNone,
			}}},
		},
		facts: &result.NodeFacts{ARCMaxBytes: 4 << 30,
			ModuleParameters: map[string]string{"zfs.zfs_dirty_data_max": "104857600"}},
	}
	// A quiet node of 4 CPUs: its own processes take 2.5% of their time, its other disks move a log.
	s.samples = []result.Sample{{
		Others:          &result.Others{ElapsedSeconds: 10, CPUSeconds: 1, CapacityCPUSeconds: 40, DiskBytes: 1 << 20},
		Workload:        "w",
		Read:            &result.Operation{Bytes: 1 << 30, BandwidthBytesPerSecond: 1e8},
		Write:           &result.Operation{Bytes: 1 << 30, BandwidthBytesPerSecond: 1e8},
		DeviceReadBytes: 1 << 30, DeviceWrittenBytes: 1 << 30,
		Pool: result.PoolFacts{CompressRatio: 1, DedupRatio: 1,
			DatasetProperties: map[string]string{"recordsize": "131072", "sync": "standard"}},
	}}
	return s
}

func (s *scene) fio() *v1alpha1.FioWorkload { return s.plan.Workloads[0].Fio }

func (s *scene) check() []Warning {
	var trials []result.Trial
	for i, sample := range s.samples {
		trials = append(trials, result.Trial{Index: i, Variant: "default", Repetition: i + 1,
			Samples: []result.Sample{sample}, ModuleParameters: s.parameters})
		s.plan.Trials = append(s.plan.Trials, plan.Trial{Index: i, Variant: "default", Repetition: i + 1})
	}
	return Check(experiment.NodeTrials{Plan: s.plan, Trials: trials}, s.facts, 0.03)
}

// onVolume makes a volume of the dataset, with a filesystem if its type is not empty.
func onVolume(s *scene, kind v1alpha1.FilesystemType) {
	volume := &v1alpha1.VolumeSpec{}
	if kind != "" {
		volume.Filesystem = &v1alpha1.FilesystemSpec{Type: kind}
	}
	s.plan.Variants[0].Dataset = v1alpha1.DatasetSpec{Type: v1alpha1.DatasetVolume, Volume: volume}
}

// onBaseline makes ext4 of the pool.
func onBaseline(s *scene) {
	s.plan.Variants[0] = plan.Variant{Name: "default",
		Baseline: &v1alpha1.Baseline{Filesystem: &v1alpha1.FilesystemBaseline{
			FilesystemSpec: v1alpha1.FilesystemSpec{Type: "ext4"}, Device: "d0",
		}}}
	s.samples[0].Pool, s.samples[0].Baseline = result.PoolFacts{},
		&result.BaselineFacts{Type: "ext4", CacheBudgetBytes: 8 << 30}
}

// streaming makes of the workload one that reads with one stream and with two, 3 GiB in all.
func streaming(s *scene, deviceReadBytes int64) {
	s.plan.Workloads[0].Fio, s.plan.Workloads[0].Streams = nil,
		&v1alpha1.StreamsWorkload{Counts: []int32{1, 2}, Phases: []v1alpha1.StreamsPhase{v1alpha1.StreamsRead}}
	s.samples[0].Read, s.samples[0].Write, s.samples[0].DeviceReadBytes = nil, nil, deviceReadBytes
	s.samples[0].Phases = []result.Phase{
		{Name: "read1", Reads: true, Operation: result.Operation{Bytes: 1 << 30}},
		{Name: "read2", Reads: true, Operation: result.Operation{Bytes: 2 << 30}},
	}
}

func TestCheck(t *testing.T) {
	tests := map[string]struct {
		change func(*scene)
		kind   string // none for no warning
		words  []string
	}{
		"honest": {func(*scene) {}, "", nil},

		"read from memory": {func(s *scene) { s.samples[0].DeviceReadBytes = 100 << 20 },
			v1alpha1.ConditionServedFromCache, []string{"9.77%", "12 GiB"}},
		"read from memory, as asked": {func(s *scene) {
			s.samples[0].DeviceReadBytes, s.plan.Workloads[0].Cache = 0, v1alpha1.CacheWarm
		}, v1alpha1.ConditionServedFromCache, []string{"set cache to Cold"}},
		"read from the memory that a parameter leaves": {func(s *scene) {
			s.samples[0].DeviceReadBytes, s.parameters = 100<<20, map[string]string{"zfs_arc_max": "1073741824"}
		}, v1alpha1.ConditionServedFromCache, []string{"9.77%", "3 GiB on this node"}},
		"read half from memory": {func(s *scene) { s.samples[0].DeviceReadBytes = 512 << 20 }, "", nil},
		"read little, because it compresses": {func(s *scene) {
			s.samples[0].DeviceReadBytes, s.samples[0].Pool.CompressRatio = 280<<20, 2
		}, v1alpha1.ConditionDataNotRandom, []string{"compressed 2×"}},
		"streams": {func(s *scene) { streaming(s, 3<<30) }, "", nil},
		"streams, of which the single one may have read from memory": {func(s *scene) { streaming(s, 5<<29-1) },
			v1alpha1.ConditionServedFromCache, []string{"Part of what", "83.3%"}},
		"streams, read from memory": {func(s *scene) { streaming(s, 1<<30) },
			v1alpha1.ConditionServedFromCache, []string{"Most of what", "33.3%"}},
		"a later pass, read from memory": {func(s *scene) {
			first := s.samples[0]
			later := first
			first.Pass, later.Pass, later.DeviceReadBytes = 1, 2, 0
			s.fio().Passes, s.samples = 2, []result.Sample{first, later}
		}, "", nil},
		"the first pass, read from memory": {func(s *scene) {
			s.fio().Passes, s.samples[0].Pass, s.samples[0].DeviceReadBytes = 2, 1, 0
		}, v1alpha1.ConditionServedFromCache, nil},
		"a steady state": {func(s *scene) {
			steady := result.SteadyStateOf([]float64{1, 9, 9, 9}, 3)
			s.samples[0].Steady = &steady
		}, "", nil},
		"no steady state": {func(s *scene) {
			steady := result.SteadyStateOf([]float64{9, 9, 9, 12}, 3)
			s.samples[0].Steady = &steady
		}, v1alpha1.ConditionNotSteady, []string{"In 1 of 1 trials", "after 4 rounds", "the last 3", "30%", "20%"}},
		"small blocks, as small as the records": {func(s *scene) { s.fio().BS = v1alpha1.BSRecordsize }, "", nil},
		"some blocks smaller than the records": {func(s *scene) {
			s.fio().BS, s.fio().BSSplit = "", []v1alpha1.FioBlockShare{{BS: "4k", Percent: 50}, {BS: "1M", Percent: 50}}
		}, v1alpha1.ConditionPartialRecords, []string{"4 KiB"}},
		"nothing read": {func(s *scene) { s.samples[0].Read, s.samples[0].DeviceReadBytes = nil, 0 }, "", nil},

		"written little": {func(s *scene) { s.samples[0].Write.Bytes = 299 << 20 }, v1alpha1.ConditionTooShort,
			[]string{"299 MiB", "at least 300 MiB"}},
		"written little, by a parameter": {func(s *scene) {
			s.parameters = map[string]string{"zfs_dirty_data_max": "1073741824"}
		}, v1alpha1.ConditionTooShort, []string{"1 GiB", "at least 3 GiB"}},
		"written enough, by a parameter": {func(s *scene) {
			s.samples[0].Write.Bytes, s.parameters = 299<<20, map[string]string{"zfs_dirty_data_max": "67108864"}
		}, "", nil},
		"written little, fsync too seldom": {func(s *scene) { s.samples[0].Write.Bytes, s.fio().Fsync = 1<<20, 1000000 },
			v1alpha1.ConditionTooShort, nil},
		"written little, sync=always": {func(s *scene) {
			s.samples[0].Write.Bytes = 1 << 20
			s.property("sync", "always")
		}, "", nil},
		"written little, but synced": {func(s *scene) { s.samples[0].Write.Bytes, s.fio().Fsync = 1<<20, 1 }, "", nil},
		"written little, but O_SYNC": {func(s *scene) {
			s.samples[0].Write.Bytes, s.fio().Sync = 1<<20, v1alpha1.FioSyncSync
		}, "", nil},
		"written little, no facts":    {func(s *scene) { s.samples[0].Write.Bytes, s.facts = 1<<20, nil }, "", nil},
		"compresses a little, always": {func(s *scene) { s.samples[0].Pool.CompressRatio = 1.05 }, "", nil},
		"compresses, as a corpus": {func(s *scene) {
			s.samples[0].Pool.CompressRatio, s.samples[0].Pool.DedupRatio = 3, 4
			s.plan.Workloads[0].Fio, s.plan.Workloads[0].Corpus = nil, &v1alpha1.CorpusWorkload{}
		}, "", nil},
		"compresses, as a script": {func(s *scene) {
			s.samples[0].Pool.CompressRatio = 3
			s.plan.Workloads[0].Fio, s.plan.Workloads[0].Script = nil, &v1alpha1.ScriptWorkload{}
		}, "", nil},
		"duplicates": {func(s *scene) {
			s.samples[0].Pool.DedupRatio, s.fio().DedupePercentage = 1.5, new(int32(33))
		}, v1alpha1.ConditionDataNotRandom, []string{"deduplicated 1.5×", "dedupePercentage"}},

		"written little, but synced by every job that writes": {func(s *scene) {
			s.samples[0].Write.Bytes, s.fio().Sync = 1<<20, v1alpha1.FioSyncSync
			s.fio().Jobs = []v1alpha1.FioJob{{Name: "a"}, {Name: "b", RW: v1alpha1.FioRead}}
		}, "", nil},
		"written little, and one job does not sync": {func(s *scene) {
			s.samples[0].Write.Bytes, s.fio().Sync = 1<<20, v1alpha1.FioSyncSync
			s.fio().Jobs = []v1alpha1.FioJob{{Name: "a"}, {Name: "b", Sync: v1alpha1.FioSyncNone}}
		}, v1alpha1.ConditionTooShort, nil},
		"depth of one job": {func(s *scene) {
			s.fio().Jobs = []v1alpha1.FioJob{{Name: "a"}, {Name: "deep", IOEngine: "libaio", IODepth: 32}}
		}, v1alpha1.ConditionDepthIgnored, []string{"Job deep: ioDepth 32"}},
		"direct of all jobs": {func(s *scene) {
			s.fio().Jobs = []v1alpha1.FioJob{{Name: "a", Direct: new(true)}, {Name: "b", Direct: new(true)}}
		}, v1alpha1.ConditionDirectIgnored, nil},
		"direct of one job of two": {func(s *scene) {
			s.fio().Jobs = []v1alpha1.FioJob{{Name: "a", Direct: new(true)}, {Name: "b"}}
		}, "", nil},
		"partial records of one job": {func(s *scene) {
			s.fio().Jobs = []v1alpha1.FioJob{{Name: "a"}, {Name: "b", RW: v1alpha1.FioRandRead, BS: "4k"}}
		}, v1alpha1.ConditionPartialRecords, []string{"Job b: "}},

		"a baseline": {onBaseline, "", nil},
		"a baseline, read from memory": {func(s *scene) { onBaseline(s); s.samples[0].DeviceReadBytes = 100 << 20 },
			v1alpha1.ConditionServedFromCache,
			[]string{"9.77%", "page cache", "24 GiB on this node"}},
		"a baseline, direct":         {func(s *scene) { onBaseline(s); s.fio().Direct = true }, "", nil},
		"a baseline, written little": {func(s *scene) { onBaseline(s); s.samples[0].Write.Bytes = 1 << 20 }, "", nil},
		"a baseline, depth": {func(s *scene) {
			onBaseline(s)
			s.fio().IOEngine, s.fio().IODepth = "libaio", 32
		}, v1alpha1.ConditionDepthIgnored, []string{"without direct"}},
		"a baseline, depth and direct": {func(s *scene) {
			onBaseline(s)
			s.fio().IOEngine, s.fio().IODepth, s.fio().Direct = "libaio", 32, true
		}, "", nil},
		"a volume, depth": {func(s *scene) {
			onVolume(s, "")
			s.fio().IOEngine, s.fio().IODepth = "libaio", 32
		}, "", nil},
		"ext4 on a volume, depth": {func(s *scene) {
			onVolume(s, "ext4")
			s.fio().IOEngine, s.fio().IODepth = "libaio", 32
		}, v1alpha1.ConditionDepthIgnored, []string{"without direct"}},
		"a baseline, on a node not quiet": {func(s *scene) { onBaseline(s); s.samples[0].Others.CPUSeconds = 20 },
			v1alpha1.ConditionNodeNotQuiet, nil},

		"direct, ignored": {func(s *scene) { s.fio().Direct = true }, v1alpha1.ConditionDirectIgnored, []string{"only 0%"}},
		"direct, mostly": {func(s *scene) {
			s.fio().Direct, s.samples[0].DirectReadBytes, s.samples[0].DirectWrittenBytes = true, 1<<30, 200<<20
		}, "", nil},
		"direct, writing only": {func(s *scene) { s.fio().Direct, s.samples[0].DirectWrittenBytes = true, 900<<20 },
			v1alpha1.ConditionDirectIgnored, []string{"only 43.9%"}},
		"libaio with depth": {func(s *scene) { s.fio().IOEngine, s.fio().IODepth = "libaio", 32 },
			v1alpha1.ConditionDepthIgnored, []string{"ioDepth 32", "numJobs"}},
		"libaio without":      {func(s *scene) { s.fio().IOEngine = "libaio" }, "", nil},
		"io_uring with depth": {func(s *scene) { s.fio().IOEngine, s.fio().IODepth = "io_uring", 32 }, "", nil},
		"libaio on a volume": {func(s *scene) {
			s.fio().IOEngine, s.fio().IODepth, s.plan.Variants[0].Dataset.Type = "libaio", 32, v1alpha1.DatasetVolume
		}, "", nil},
		"sync=disabled":          {func(s *scene) { s.property("sync", "disabled") }, v1alpha1.ConditionSyncDisabled, nil},
		"sync=disabled, reading": {func(s *scene) { s.property("sync", "disabled"); s.samples[0].Write = nil }, "", nil},
		"blocks below the record": {func(s *scene) { s.fio().BS = "8k" }, v1alpha1.ConditionPartialRecords,
			[]string{"8 KiB", "16 times"}},
		"the same, in order":      {func(s *scene) { s.fio().BS, s.fio().RW = "8k", v1alpha1.FioWrite }, "", nil},
		"blocks above the record": {func(s *scene) { s.fio().BS = "1m" }, "", nil},
		"blocks below the volume's": {func(s *scene) {
			s.property("volblocksize", "16384")
			s.fio().BS, s.plan.Variants[0].Dataset.Type = "4k", v1alpha1.DatasetVolume
		}, v1alpha1.ConditionPartialRecords, []string{"volblocksize"}},
		"files": {func(s *scene) { s.plan.Devices[0] = plan.Device{Name: "d0", FileSizeBytes: 1 << 30} },
			v1alpha1.ConditionFileVdevs, nil},
		"a file of another variant": {func(s *scene) {
			s.plan.Devices = append(s.plan.Devices, plan.Device{Name: "f0", FileSizeBytes: 1 << 30})
		}, "", nil},

		"other processes": {func(s *scene) { s.samples[0].Others.CPUSeconds = 4.4 },
			v1alpha1.ConditionNodeNotQuiet, []string{"In 1 of 1 trials", "processes took up to 11% of", "Drain"}},
		"other processes, a tenth": {func(s *scene) { s.samples[0].Others.CPUSeconds = 4 }, "", nil},
		"others, and a hypervisor": {func(s *scene) { s.samples[0].Others.StolenCPUSeconds = 3.2 },
			v1alpha1.ConditionNodeNotQuiet, []string{"up to 2.5% of", "up to 8% of it"}},
		"other disks": {func(s *scene) { s.samples[0].Others.DiskBytes = 300 << 20 },
			v1alpha1.ConditionNodeNotQuiet, []string{"moved up to 30 MiB/s"}},
		"other disks, little for the pool": {func(s *scene) { s.samples[0].Others.DiskBytes = 200 << 20 }, "", nil},
		"other disks, little for any": {func(s *scene) {
			s.samples[0].Others.DiskBytes = 9 << 20
			s.samples[0].Read, s.samples[0].DeviceReadBytes, s.samples[0].DeviceWrittenBytes = nil, 0, 1<<20
		}, "", nil},
		"the same, in a tenth of the time": {func(s *scene) {
			s.samples[0].Others.DiskBytes, s.samples[0].Others.ElapsedSeconds = 300<<20, 1
		}, v1alpha1.ConditionNodeNotQuiet, []string{"300 MiB/s"}},
		"others, too short to tell": {func(s *scene) {
			s.samples[0].Others = &result.Others{ElapsedSeconds: 0.5, CPUSeconds: 1, CapacityCPUSeconds: 2, DiskBytes: 1 << 30}
		}, "", nil},
		"others not known": {func(s *scene) { s.samples[0].Others = nil }, "", nil},
		"the time of the CPUs is not known": {func(s *scene) {
			s.samples[0].Others.CapacityCPUSeconds, s.samples[0].Others.StolenCPUSeconds = 0, 1
		}, "", nil},
		"others in one trial of three": {func(s *scene) {
			quiet, busy, unknown := s.samples[0], s.samples[0], s.samples[0]
			busy.Others, unknown.Others = &result.Others{ElapsedSeconds: 10, CPUSeconds: 20, CapacityCPUSeconds: 40}, nil
			s.samples = []result.Sample{quiet, busy, quiet, unknown}
		}, v1alpha1.ConditionNodeNotQuiet, []string{"In 1 of 3 trials", "up to 50%"}},

		"slower and slower": {func(s *scene) {
			s.repeat(8, func(i int) float64 { return 1e8 * math.Pow(0.98, float64(i)+0.1*float64(i%2)) })
		}, v1alpha1.ConditionDrift, []string{"slower at reading"}},
		"steady": {func(s *scene) {
			s.repeat(8, func(i int) float64 { return 1e8 * math.Pow(0.98, float64(i%2)) })
		}, "", nil},
		"a drift too small": {func(s *scene) {
			s.repeat(8, func(i int) float64 { return 1e8 * math.Pow(0.999, float64(i)) })
		}, "", nil},
		"too few for a drift": {func(s *scene) {
			s.repeat(5, func(i int) float64 { return 1e8 * math.Pow(0.9, float64(i)) })
		}, "", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := honest()
			tt.change(s)
			got := s.check()
			if tt.kind == "" {
				if len(got) > 0 {
					t.Errorf("warnings %+v, want none", got)
				}
				return
			}
			if len(got) != 1 || got[0].Kind != tt.kind || got[0].Variant != "default" || got[0].Workload != "w" ||
				got[0].Node != "storage-0" {
				t.Fatalf("warnings %+v, want one of kind %s", got, tt.kind)
			}
			for _, word := range tt.words {
				if !strings.Contains(got[0].Message, word) {
					t.Errorf("message %q does not say %q", got[0].Message, word)
				}
			}
		})
	}
}

func (s *scene) property(name, value string) { s.samples[0].Pool.DatasetProperties[name] = value }

// repeat measures n times; only reading, at the rate the function says.
func (s *scene) repeat(n int, rate func(i int) float64) {
	first := s.samples[0]
	s.samples = nil
	for i := range n {
		next := first
		next.Write = nil
		next.Read = &result.Operation{Bytes: 1 << 30, BandwidthBytesPerSecond: rate(i)}
		s.samples = append(s.samples, next)
	}
}

// A trial that failed says nothing about the others.
func TestCheckLeavesOutFailures(t *testing.T) {
	s := honest()
	sample := s.samples[0]
	sample.DeviceReadBytes = 0
	failed := result.Trial{Variant: "default", Repetition: 1, Failure: &result.Failure{Reason: "WorkloadFailed"},
		Samples: []result.Sample{sample}}
	if got := Check(experiment.NodeTrials{Plan: s.plan, Trials: []result.Trial{failed}}, s.facts, 0.03); len(got) > 0 {
		t.Errorf("warnings %+v", got)
	}
}

// A warning has the size that the runner recorded, although the node's facts would give another one: its memory may
// have been changed since. All processes together have it.
func TestWarningHasTheRecordedSize(t *testing.T) {
	s := honest()
	s.fio().RelativeSize, s.fio().NumJobs, s.facts.MemoryBytes = "2xARC", 2, 16<<30
	s.samples = append(s.samples, s.samples[0])
	for i := range s.samples {
		s.samples[i].DeviceReadBytes, s.samples[i].SizeBytes = 0, int64(512<<20+i)
	}
	got := s.check()
	if len(got) != 1 || !strings.HasSuffix(got[0].Message, "relativeSize 2xARC was 1 GiB.") {
		t.Errorf("%+v, want the size of the samples", got)
	}
}

// What is lost with sync=disabled does not count as synchronous, whatever the workload asks for.
func TestShortWithoutSync(t *testing.T) {
	s := honest()
	s.samples[0].Write.Bytes, s.fio().Sync = 1<<20, v1alpha1.FioSyncSync
	s.property("sync", "disabled")
	var kinds []string
	for _, w := range s.check() {
		kinds = append(kinds, w.Kind)
	}
	if want := []string{v1alpha1.ConditionTooShort, v1alpha1.ConditionSyncDisabled}; !slices.Equal(kinds, want) {
		t.Errorf("warnings %v, want %v", kinds, want)
	}
}

// Of several variants it is the reference that tells the drift, also where it is not the first; and what the drift
// means depends on the order.
func TestDriftOfTheReference(t *testing.T) {
	for kind, word := range map[v1alpha1.RepetitionOrder]string{
		v1alpha1.OrderRandomized: "allow for that", v1alpha1.OrderInterleaved: "allow for that",
		v1alpha1.OrderSequential: "looks like a difference",
	} {
		t.Run(string(kind), func(t *testing.T) {
			s := honest()
			p := s.plan
			p.Order = &plan.Order{Kind: kind}
			other := p.Variants[0]
			other.Name, other.Reference = "other", "default"
			p.Variants = []plan.Variant{other, p.Variants[0]}
			var trials []result.Trial
			for i := range 16 {
				sample := s.samples[0]
				sample.Write = nil
				sample.Read = &result.Operation{Bytes: 1 << 30, BandwidthBytesPerSecond: 1e8}
				name := "other"
				if i%2 == 1 {
					name = "default"
					sample.Read.BandwidthBytesPerSecond = 1e8 * math.Pow(0.98, float64(i)+0.1*float64(i%4))
				}
				p.Trials = append(p.Trials, plan.Trial{Index: i, Variant: name, Repetition: i/2 + 1})
				trials = append(trials, result.Trial{Index: i, Variant: name, Repetition: i/2 + 1,
					Samples: []result.Sample{sample}})
			}
			got := Check(experiment.NodeTrials{Plan: p, Trials: trials}, s.facts, 0.03)
			if len(got) != 1 || got[0].Kind != v1alpha1.ConditionDrift || got[0].Variant != "default" ||
				!strings.Contains(got[0].Message, word) {
				t.Errorf("warnings %+v, want one of drift that says %q", got, word)
			}
		})
	}
}
