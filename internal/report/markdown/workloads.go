// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/human"
	"zfsbench.io/operator/internal/tools/fio"
	"zfsbench.io/operator/internal/tools/registry"
)

// workloads describes what runs: a table of the fio workloads, and a line for each other workload.
func (m *page) workloads(all []v1alpha1.Workload) {
	table := newTable("Workload", "I/O", ">Block", ">Jobs", ">Size", "Engine", "Further", "Cache")
	var others []string
	for _, w := range all {
		if w.Fio != nil {
			for _, j := range w.Fio.AllJobs() {
				table.add(describe(w, j)...)
			}
		} else {
			others = append(others, describeOther(w))
		}
	}
	if len(others) < len(all) {
		m.printf("%s\n", table)
	}
	m.note(others...)
}

// describe is the row of one job in the table of workloads.
func describe(w v1alpha1.Workload, j v1alpha1.SingleFioJob) []string {
	f, name := j.FioWorkload, w.Name
	if j.Name != "" {
		name += ", job " + j.Name
	}
	engine := string(f.IOEngine)
	if engine == "" {
		engine = "psync"
	}
	if f.IODepth > 1 {
		engine += fmt.Sprintf(", depth %d", f.IODepth)
	}
	return []string{name, string(f.RW), blocksOf(f), fmt.Sprint(max(1, f.NumJobs)), sizeOf(f), engine,
		strings.Join(slices.Concat(presetOf(w), further(j), meanwhile(w)), ", "), cacheOf(w)}
}

// meanwhile says what happens to the pool while a workload runs.
func meanwhile(w v1alpha1.Workload) []string {
	if w.During == nil {
		return nil
	}
	return []string{"during: " + describeOperation(*w.During.Operation())}
}

// blocksOf says how large a job's blocks are.
func blocksOf(f v1alpha1.FioWorkload) string {
	if len(f.BSSplit) == 0 {
		return bytesOf(f.BS)
	}
	shares := make([]string, 0, len(f.BSSplit))
	for _, s := range f.BSSplit {
		shares = append(shares, fmt.Sprintf("%d%% %s", s.Percent, bytesOf(s.BS)))
	}
	return strings.Join(shares, ", ")
}

// bytesOf formats a block size; other words, such as recordsize, stay.
func bytesOf(bs string) string {
	n, err := fio.BlockBytes(bs)
	if err != nil {
		return bs
	}
	return human.Bytes(float64(n))
}

// sizeOf is how much each process reads or writes, or how much all of them do relative to something.
func sizeOf(f v1alpha1.FioWorkload) string {
	if f.RelativeSize != "" {
		return string(f.RelativeSize)
	}
	return human.Bytes(float64(f.Size.Value()))
}

// cacheOf is the state of the cache at the start of a workload.
func cacheOf(w v1alpha1.Workload) string {
	return string(cmp.Or(w.Cache, v1alpha1.CacheCold))
}

// describeOther is a line about a workload of a tool other than fio.
func describeOther(w v1alpha1.Workload) string {
	what := ""
	if tool := registry.Of(w); tool != nil {
		what = escape(tool.Describe())
	}
	if w.Pool != nil {
		what = describeOperation(*w.Pool)
	}
	return fmt.Sprintf("Workload %s: %s; cache %s", w.Name, what, cacheOf(w))
}

// presetOf names a workload's preset, if it has one.
func presetOf(w v1alpha1.Workload) []string {
	if w.Fio.Preset == "" {
		return nil
	}
	return []string{"preset " + string(w.Fio.Preset)}
}

// further are settings that most workloads do not change.
func further(f v1alpha1.SingleFioJob) []string {
	var out []string
	say := func(applies bool, format string, args ...any) {
		if applies {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	say(f.HasPasses(), "%d passes", f.Passes)
	if s := f.SteadyState; s != nil {
		how := s.WithDefaults()
		say(true, "until steady in %d rounds, at most %d, then it %s", how.Window, how.Rounds,
			map[v1alpha1.SteadyThen]string{v1alpha1.SteadyEnds: "ends", v1alpha1.SteadyGoesOn: "goes on"}[how.Then])
	}
	say(f.StartDelay > 0, "starts after %s", f.StartDelay)
	say(f.Dataset != "", "in child %s", f.Dataset)
	say(f.OwnFiles, "own files")
	say(f.Direct, "direct")
	say(f.Sync != "" && f.Sync != v1alpha1.FioSyncNone, "%s", strings.ToLower("O_"+string(f.Sync)))
	say(f.Fsync > 0, "fsync every %d", f.Fsync)
	say(f.Fdatasync > 0, "fdatasync every %d", f.Fdatasync)
	say(f.EndFsync != nil && !*f.EndFsync, "no fsync at the end")
	if f.RWMixRead != nil {
		say(true, "%d%% reads", *f.RWMixRead)
	}
	if f.Runtime != nil {
		if f.IsTimeBased() {
			say(true, "for %s", f.Runtime.Duration)
		} else {
			say(true, "at most %s", f.Runtime.Duration)
		}
	}
	if f.RampTime != nil {
		say(true, "ramp %s", f.RampTime.Duration)
	}
	if f.Rate != nil {
		say(true, "at most %s/s each", human.Bytes(float64(f.Rate.Value())))
	}
	say(f.RateIOPS > 0, "at most %d IOPS each", f.RateIOPS)
	if f.BufferCompressPercentage != nil {
		say(true, "%d%% compressible", *f.BufferCompressPercentage)
	}
	if f.DedupePercentage != nil {
		say(true, "%d%% duplicates", *f.DedupePercentage)
	}
	return out
}
