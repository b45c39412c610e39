// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/fio"
	"zfsbench.io/operator/internal/result"
)

// experiment says what was asked for: workloads, pool, dataset and devices.
func (m *markdown) experiment() {
	spec := m.in.Benchmark.Spec
	title := "What ran"
	if m.isDryRun() {
		title = "What would run"
	}
	m.printf("\n## %s\n\n", title)
	repetitions := 1
	if spec.Repetitions != nil {
		repetitions = max(1, int(spec.Repetitions.Min))
	}
	m.printf("Every trial makes the pool anew, runs these workloads in this order, and destroys the pool; %s of each variant on each node.\n\n",
		plural(repetitions, "repetition"))
	workloads := newTable("Workload", "I/O", ">Block", ">Jobs", ">Size", "Engine", "Further", "Cache")
	for _, w := range spec.Workloads {
		if w.Fio != nil {
			workloads.add(describe(w)...)
		}
	}
	m.printf("%s\n", workloads)
	if p := spec.Pool; p != nil {
		m.printf("- Pool: %s\n", pool(*p))
	}
	if d := spec.Dataset; d != nil {
		m.printf("- Dataset: %s\n", dataset(*d))
	}
	for _, d := range spec.Devices {
		if d.File != nil {
			m.printf("- Device %s: a file of %s\n", d.Name, Bytes(float64(d.File.Size.Value())))
		} else {
			m.printf("- Device %s: %s\n", d.Name, escape(d.Path))
		}
	}
}

// describe is a row of the table of workloads.
func describe(w v1alpha1.Workload) []string {
	f := *w.Fio
	block, err := fio.BlockBytes(f.BS)
	size := f.BS
	if err == nil {
		size = Bytes(float64(block))
	}
	engine := string(f.IOEngine)
	if engine == "" {
		engine = "psync"
	}
	if f.IODepth > 1 {
		engine += fmt.Sprintf(", depth %d", f.IODepth)
	}
	cache := string(w.Cache)
	if cache == "" {
		cache = string(v1alpha1.CacheCold)
	}
	return []string{w.Name, string(f.RW), size, fmt.Sprint(max(1, f.NumJobs)), Bytes(float64(f.Size.Value())), engine, strings.Join(further(f), ", "), cache}
}

// further are the settings that most workloads leave alone.
func further(f v1alpha1.FioWorkload) []string {
	var out []string
	say := func(applies bool, format string, args ...any) {
		if applies {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	say(f.Direct, "direct")
	say(f.Sync != "" && f.Sync != v1alpha1.FioSyncNone, "%s", strings.ToLower("O_"+string(f.Sync)))
	say(f.Fsync > 0, "fsync every %d", f.Fsync)
	say(f.EndFsync != nil && !*f.EndFsync, "no fsync at the end")
	if f.RWMixRead != nil {
		say(true, "%d%% reads", *f.RWMixRead)
	}
	if f.Runtime != nil {
		if f.TimeBased {
			say(true, "for %s", f.Runtime.Duration)
		} else {
			say(true, "at most %s", f.Runtime.Duration)
		}
	}
	if f.RampTime != nil {
		say(true, "ramp %s", f.RampTime.Duration)
	}
	if f.BufferCompressPercentage != nil {
		say(true, "%d%% compressible", *f.BufferCompressPercentage)
	}
	if f.DedupePercentage != nil {
		say(true, "%d%% duplicates", *f.DedupePercentage)
	}
	return out
}

func pool(p v1alpha1.PoolSpec) string {
	words := []string{vdevs("", p.Vdevs)}
	for _, class := range []struct {
		name string
		list []v1alpha1.Vdev
	}{{"log", p.Log}, {"cache", p.Cache}, {"special", p.Special}, {"dedup", p.Dedup}} {
		if len(class.list) > 0 {
			words = append(words, vdevs(class.name, class.list))
		}
	}
	if len(p.Spares) > 0 {
		words = append(words, "spare "+strings.Join(p.Spares, " "))
	}
	text := strings.Join(words, " ")
	if p.Ashift != nil {
		text += fmt.Sprintf("; ashift=%d", *p.Ashift)
	}
	return escape(text + settings(p.Properties))
}

func dataset(d v1alpha1.DatasetSpec) string {
	text := "filesystem"
	if d.Type == v1alpha1.DatasetVolume && d.Volume != nil {
		text = "volume of " + Bytes(float64(d.Volume.Size.Value()))
		if d.Volume.Sparse {
			text = "sparse " + text
		}
	}
	return escape(text + settings(d.Properties))
}

// settings are properties by name, after a semicolon.
func settings[M ~map[string]v1alpha1.PropertyValue](properties M) string {
	var out strings.Builder
	for i, name := range slices.Sorted(maps.Keys(properties)) {
		if i == 0 {
			out.WriteString(";")
		}
		out.WriteString(" " + name + "=" + string(properties[name]))
	}
	return out.String()
}

// nodes says what the numbers depend on, as found on each node.
func (m *markdown) nodes() {
	for _, n := range m.in.Nodes {
		m.printf("\n## Node %s\n\n", n.Name)
		if f := n.Facts; f != nil {
			m.printf("- OpenZFS: %s (userland), %s (module)\n", escape(f.OpenZFSUserland), escape(f.OpenZFSModule))
			m.printf("- Kernel: %s; %s\n", escape(f.Kernel), escape(f.OS))
			m.printf("- CPUs: %d × %s\n", f.CPUs, escape(f.CPUModel))
			m.printf("- Memory: %s, ARC at most %s\n", Bytes(float64(f.MemoryBytes)), Bytes(float64(f.ARCMaxBytes)))
		}
		if m.isDryRun() {
			continue
		}
		m.printf("- Trials: %d of %d\n", len(n.Trials), n.Planned)
		variants := variantsOf(n)
		for _, variant := range variants {
			of := ""
			if len(variants) > 1 {
				of = " of variant " + escape(variant)
			}
			m.pool(n, variant, of)
		}
	}
}

// shownProperties are the properties of a dataset that most often explain a number; the rest is in results.json.
var shownProperties = []string{
	"recordsize", "volblocksize", "compression", "checksum", "dedup", "sync", "logbias", "primarycache", "secondarycache", "direct", "atime", "xattr",
	"copies", "special_small_blocks",
}

// pool describes the pool as it was after the last workload of a variant's last trial that got so far; of names the variant where there are several.
func (m *markdown) pool(n Node, variant, of string) {
	var facts *result.PoolFacts
	var after string
	for _, t := range n.Trials {
		for _, s := range t.Samples {
			if t.Variant == variant {
				facts, after = &s.Pool, s.Workload
			}
		}
	}
	if facts == nil {
		return
	}
	fragmentation := ""
	if facts.FragmentationPercent >= 0 {
		fragmentation = fmt.Sprintf("%d%% fragmented, ", facts.FragmentationPercent)
	}
	m.printf("- Pool%s after %s: %s, ashift %s, %s of %s allocated (%d%%), %scompressed %s×\n", of, escape(after),
		escape(facts.Health), joined(facts.Ashift, " "), Bytes(float64(facts.AllocatedBytes)), Bytes(float64(facts.SizeBytes)), facts.CapacityPercent,
		fragmentation, digits(facts.CompressRatio))
	var shown []string
	for _, name := range shownProperties {
		if value, ok := facts.DatasetProperties[name]; ok {
			shown = append(shown, escape(name+"="+value))
		}
	}
	if len(shown) > 0 {
		m.printf("- Dataset%s: %s\n", of, strings.Join(shown, " "))
	}
}

// provenance is what is needed to do it again: versions, plans and the exact command and job file of each workload.
func (m *markdown) provenance() {
	m.printf("\n## Provenance\n\n")
	m.printf("- Operator: %s\n", m.in.OperatorVersion)
	m.printf("- Benchmark UID: %s\n", m.in.Benchmark.UID)
	for _, n := range m.in.Nodes {
		m.printf("- Plan of %s: %s\n", n.Name, n.PlanDigest)
	}
	first := m.firstSamples()
	if len(first) > 0 {
		m.printf("\nCommands and job files of each workload's first repetition; only randseed differs in the others.\n")
	}
	for _, s := range first {
		m.printf("\n%s, by %s:\n\n%s", escape(s.Workload), escape(s.ToolVersion), indented(strings.Join(s.Argv, " ")+"\n\n"+s.JobFile))
	}
}

// firstSamples are the first of each workload, in the order of the spec.
func (m *markdown) firstSamples() []result.Sample {
	var out []result.Sample
	seen := map[string]bool{}
	for _, n := range m.in.Nodes {
		for _, t := range n.Trials {
			for _, s := range t.Samples {
				if !seen[s.Workload] {
					seen[s.Workload] = true
					out = append(out, s)
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b result.Sample) int { return position(m.in, a.Workload) - position(m.in, b.Workload) })
	return out
}
