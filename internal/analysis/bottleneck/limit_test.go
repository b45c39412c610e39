// SPDX-License-Identifier: Apache-2.0

package bottleneck

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/result"
)

func level(mean float64) result.Level { return result.Level{Mean: mean, Max: 1} }

func cpu(busy, busiest float64) *result.CPUUse {
	return &result.CPUUse{Busy: level(busy), BusiestCore: level(busiest)}
}

func device(name string, used float64) result.DeviceUse {
	return result.DeviceUse{Device: name, Utilization: level(used), Queue: 3, WrittenBytesPerSecond: 8 << 20}
}

func wrote(ios int64) *result.Operation { return &result.Operation{IOs: ios, Bytes: ios * 4096} }

func TestFind(t *testing.T) {
	pool := result.PoolFacts{Health: "ONLINE", CompressRatio: 1}
	tests := map[string]struct {
		in   result.Sample
		want Limit
	}{
		"not observed": {result.Sample{}, Limit{Factor: Unknown}},
		"shorter than the start of its tool": {
			result.Sample{Pool: pool, RuntimeNanoseconds: 130e6, Write: wrote(32),
				Monitors: &result.Monitors{Seconds: 1.25, CPU: cpu(0.79, 0.97), Devices: []result.DeviceUse{device("d0", 0.9)}}},
			Limit{Factor: Unknown, Evidence: "too short to tell: it ran for 130 ms of the 1.25 s that were observed"},
		},
		"short, and most of what was observed": {
			result.Sample{Pool: pool, RuntimeNanoseconds: 1e9, Write: wrote(32),
				Monitors: &result.Monitors{Seconds: 1.25, CPU: cpu(0.79, 0.97)}},
			Limit{Factor: CPU, Evidence: "CPUs 79% busy, the busiest core 97%"},
		},
		"long, after a longer ramp": {
			result.Sample{Pool: pool, RuntimeNanoseconds: 5e9, Write: wrote(32),
				Monitors: &result.Monitors{Seconds: 40, CPU: cpu(0.79, 0.97)}},
			Limit{Factor: CPU, Evidence: "CPUs 79% busy, the busiest core 97%"},
		},
		"short, with a commit for each write": {
			result.Sample{Pool: pool, RuntimeNanoseconds: 130e6, Write: wrote(32),
				Monitors: &result.Monitors{Seconds: 1.25, CPU: cpu(0.79, 0.97), ZIL: &result.ZILUse{Commits: 32}}},
			Limit{Factor: Sync, Evidence: "1 commits of the ZIL per write, 0 B to the pool's own disks, without a log device"},
		},
		"gzip-9 on incompressible data": {
			result.Sample{Pool: pool, Write: wrote(1000), Monitors: &result.Monitors{CPU: cpu(0.79, 0.97),
				Devices: []result.DeviceUse{device("d0", 0.3)}}},
			Limit{Factor: CPU, Evidence: "CPUs 79% busy, the busiest core 97%"},
		},
		"one thread of many cores": {
			result.Sample{Pool: pool, Write: wrote(1000), Monitors: &result.Monitors{CPU: cpu(0.1, 0.95)}},
			Limit{Factor: CPU, Evidence: "CPUs 10% busy, the busiest core 95%"},
		},
		"a hypervisor that gives little": {
			result.Sample{Pool: pool, Monitors: &result.Monitors{CPU: &result.CPUUse{Busy: level(0.5),
				BusiestCore: level(0.6), Stolen: 0.3}}},
			Limit{Factor: CPU, Evidence: "CPUs 50% busy, the busiest core 60%, 30% stolen by a hypervisor"},
		},
		"a throttled disk": {
			result.Sample{Pool: pool, Write: wrote(1000), Monitors: &result.Monitors{CPU: cpu(0.2, 0.4),
				Devices: []result.DeviceUse{device("d1", 0.97), device("d0", 0.31)}}},
			Limit{Factor: Device, Devices: []string{"d1"},
				Evidence: "d1 97% of the time in use, 3 requests at once, 8 MiB/s; the next d0 31%"},
		},
		"all disks of a mirror": {
			result.Sample{Pool: pool, Monitors: &result.Monitors{Devices: []result.DeviceUse{device("d1", 0.97),
				device("d0", 0.96)}}},
			Limit{Factor: Device, Devices: []string{"d1", "d0"},
				Evidence: "d1 97% of the time in use, 3 requests at once, 8 MiB/s; d0 96% of the time in use, 3 requests at " +
					"once, 8 MiB/s"},
		},
		"sync=always without a log": {
			result.Sample{Pool: pool, Write: wrote(1000), Monitors: &result.Monitors{
				CPU: cpu(0.2, 0.4), ZIL: &result.ZILUse{Commits: 1001, PoolBytes: 8 << 20},
				Transactions: &result.ThrottleUse{Assigned: 1000}, Devices: []result.DeviceUse{device("d0", 0.99)},
			}},
			Limit{Factor: Sync, Evidence: "1 commits of the ZIL per write, 8 MiB to the pool's own disks, without a log device"},
		},
		"sync=always with a log": {
			result.Sample{Pool: pool, Write: wrote(1000),
				Monitors: &result.Monitors{ZIL: &result.ZILUse{Commits: 1001, LogBytes: 8 << 20}}},
			Limit{Factor: Sync, Evidence: "1 commits of the ZIL per write, 8 MiB to log devices"},
		},
		"synced files of a tree": {
			result.Sample{Pool: pool, Phases: []result.Phase{{Name: "create", Operation: *wrote(100)},
				{Name: "read", Operation: *wrote(900), Reads: true}},
				Monitors: &result.Monitors{ZIL: &result.ZILUse{Commits: 100}}},
			Limit{Factor: Sync, Evidence: "1 commits of the ZIL per write, 0 B to the pool's own disks, without a log device"},
		},
		"synced, but throttled by a slow disk": {
			result.Sample{Pool: pool, Write: wrote(1000), Monitors: &result.Monitors{
				ZIL: &result.ZILUse{Commits: 1001}, Transactions: &result.ThrottleUse{Assigned: 1000, Delayed: 700},
				Devices: []result.DeviceUse{device("d0", 0.99)},
			}},
			Limit{Factor: Device, Devices: []string{"d0"}, Evidence: "d0 99% of the time in use, 3 requests at once, 8 MiB/s"},
		},
		"a sync at the end": {
			result.Sample{Pool: pool, Write: wrote(1000), Monitors: &result.Monitors{ZIL: &result.ZILUse{Commits: 1}}},
			Limit{Factor: None},
		},
		"commits of another pool, beside a baseline": {
			result.Sample{Baseline: &result.BaselineFacts{Type: "ext4"}, Write: wrote(1000),
				Monitors: &result.Monitors{ZIL: &result.ZILUse{Commits: 5000}}},
			Limit{Factor: None},
		},
		"reads out of the ARC": {
			result.Sample{Pool: pool, Read: wrote(1000), DeviceReadBytes: 4096,
				Monitors: &result.Monitors{CPU: cpu(0.5, 0.6), ARC: &result.ARCUse{DemandHits: 990, DemandMisses: 10}}},
			Limit{Factor: ARC, Evidence: "99% of reads found in the ARC, devices read 0.1% for each byte of the workload's"},
		},
		"reads that were prefetched into the ARC": {
			result.Sample{Pool: pool, Read: wrote(1000), DeviceReadBytes: 1000 * 4096,
				Monitors: &result.Monitors{ARC: &result.ARCUse{DemandHits: 990, DemandMisses: 10}}},
			Limit{Factor: None},
		},
		"reads of compressed data": {
			result.Sample{Pool: result.PoolFacts{Health: "ONLINE", CompressRatio: 5}, Read: wrote(1000),
				DeviceReadBytes: 200 * 4096, Monitors: &result.Monitors{ARC: &result.ARCUse{DemandHits: 990, DemandMisses: 10}}},
			Limit{Factor: None},
		},
		"reads that miss": {
			result.Sample{Pool: pool, Read: wrote(1000),
				Monitors: &result.Monitors{ARC: &result.ARCUse{DemandHits: 10, DemandMisses: 990}}},
			Limit{Factor: None},
		},
		"nothing at its limit": {
			result.Sample{Pool: pool, Write: wrote(1000), Monitors: &result.Monitors{CPU: cpu(0.2, 0.4),
				Devices: []result.DeviceUse{device("d0", 0.5)}}},
			Limit{Factor: None, Evidence: "CPUs 20% busy, the busiest core 40%; the busiest device d0 50% of the time in use, " +
				"3 requests at once, 8 MiB/s"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Find(test.in)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestManyDevices(t *testing.T) {
	var all []result.DeviceUse
	for _, name := range []string{"d0", "d1", "d2", "d3", "d4"} {
		all = append(all, device(name, 0.9))
	}
	got := Find(result.Sample{Monitors: &result.Monitors{Devices: all}})
	const each = " 90% of the time in use, 3 requests at once, 8 MiB/s; "
	if want := "d0" + each + "d1" + each + "d2" + each + "and 2 more"; got.Evidence != want ||
		got.String() != "device d0 and 4 more" {
		t.Errorf("%s: %s", got, got.Evidence)
	}
}
