// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"strings"

	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/compare"
	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/spec/validate"
	"zfsbench.io/operator/internal/text/human"
)

// experiment describes the benchmark: workloads, what varies, pool, dataset and devices.
func (m *page) experiment() {
	spec := m.Spec
	title := "What ran"
	if m.isDryRun() {
		title = "What would run"
	}
	m.printf("\n## %s\n\n", title)
	target := "pool"
	if len(spec.Baselines) > 0 {
		target = "pool or filesystem"
	}
	complete := m.withDefaults()
	m.printf("Every %s, and destroys it; %s of each variant on each node%s.\n\n", lifeOf(target, spec.Repetitions),
		repetitionsOf(complete.Repetitions), more(spec.Repetitions))
	m.workloads(complete.Workloads)
	m.targets()
	for _, d := range spec.Devices {
		switch {
		case d.File != nil:
			m.printf("- Device %s: a file of %s\n", d.Name, human.Bytes(float64(d.File.Size.Value())))
		case d.Class != "":
			m.printf("- Device %s: %s\n", d.Name, classOf(d))
		default:
			m.printf("- Device %s: %s%s\n", d.Name, escape(d.Path), partitions(d))
		}
	}
	m.preparation()
}

// withDefaults is the spec as it ran: with values of presets and all defaults.
func (m *page) withDefaults() v1alpha1.ZfsBenchmarkSpec {
	b := v1alpha1.ZfsBenchmark{Spec: *m.Spec.DeepCopy()}
	validate.Defaults(&b)
	return b.Spec
}

// keepsPools says whether the repetitions of a variant share a pool.
func keepsPools(r *v1alpha1.RepetitionsSpec) bool {
	return r != nil && r.FreshPool == v1alpha1.FreshPoolPerVariant
}

// lifeOf says how long a pool or filesystem exists.
func lifeOf(target string, r *v1alpha1.RepetitionsSpec) string {
	if keepsPools(r) {
		return "variant makes a new " + target + " once, runs these workloads in this order in each repetition, " +
			"on a new dataset"
	}
	return "trial makes a new " + target + ", runs these workloads in this order"
}

// partitions are the parts that a disk is split into.
func partitions(d v1alpha1.Device) string {
	if len(d.Partitions) == 0 {
		return ""
	}
	var all []string
	for _, p := range d.Partitions {
		size := "what is left"
		if p.Size != nil {
			size = human.Bytes(float64(p.Size.Value()))
		}
		all = append(all, fmt.Sprintf("%s (%s)", p.Name, size))
	}
	return ", split into " + strings.Join(all, ", ")
}

// repetitionsOf says how often each variant is measured.
func repetitionsOf(r *v1alpha1.RepetitionsSpec) string {
	least, most := 1, 0
	if r != nil {
		least, most = max(1, int(r.Min)), int(ptr.Deref(r.Max, 0))
	}
	if most <= least {
		return human.Plural(least, "repetition")
	}
	return fmt.Sprintf("%d to %s", least, human.Plural(most, "repetition"))
}

// more says how many more times winners are measured.
func more(r *v1alpha1.RepetitionsSpec) string {
	if r == nil || r.Confirm == nil {
		return ""
	}
	return fmt.Sprintf(", and %d more of winners and their references", *r.Confirm)
}

// nodes shows the facts that the numbers depend on, for each node.
func (m *page) nodes() {
	for _, n := range m.Nodes {
		m.printf("\n## Node %s\n\n", n.Name)
		if f := n.Facts; f != nil {
			m.printf("- OpenZFS: %s (userland), %s (module)\n", escape(f.OpenZFSUserland), escape(f.OpenZFSModule))
			m.printf("- Kernel: %s; %s\n", escape(f.Kernel), escape(f.OS))
			m.printf("- CPUs: %d × %s\n", f.CPUs, escape(f.CPUModel))
			m.printf("- Memory: %s, ARC at most %s\n", human.Bytes(float64(f.MemoryBytes)), human.Bytes(float64(f.ARCMaxBytes)))
		}
		m.disks(n)
		m.sizes(n)
		if m.isDryRun() {
			continue
		}
		m.printf("- Trials: %d of %d\n", n.Counts().Ended(), n.Planned)
		targets := n.Targets()
		for _, t := range targets[:min(len(targets), maxTargets)] {
			of := ""
			if len(targets) > 1 {
				of = " of variant " + escape(t.Variant)
			}
			m.target(t, of)
		}
		if more := len(targets) - maxTargets; more > 0 {
			m.printf("- Pools and datasets of %s more: in %s\n", human.Plural(more, "variant"), model.JSONKey)
		}
	}
}

// baseline describes the state of a baseline after a workload.
func (m *page) baseline(facts result.BaselineFacts, of, after string) {
	m.printf("- Baseline%s after %s: %s", of, escape(after), escape(facts.Type))
	if facts.SizeBytes > 0 {
		m.printf(", %s available of %s", human.Bytes(float64(facts.AvailableBytes)), human.Bytes(float64(facts.SizeBytes)))
	}
	m.printf(", the page cache may take %s\n", human.Bytes(float64(facts.CacheBudgetBytes)))
	if facts.MountOptions != "" {
		m.printf("- Mount options%s: %s\n", of, escape(facts.MountOptions))
	}
	if len(facts.MadeWith) > 0 {
		m.printf("- Filesystem%s made by: %s\n", of, escape(strings.Join(facts.MadeWith, " ")))
	}
	if facts.Array != nil {
		m.array(*facts.Array, of)
	}
}

// array describes the md array of a baseline.
func (m *page) array(facts result.ArrayFacts, of string) {
	m.printf("- md array%s: %s of %s", of, escape(facts.Level), human.Plural(facts.Disks, "disk"))
	if facts.ChunkBytes > 0 {
		m.printf(", chunks of %s", human.Bytes(float64(facts.ChunkBytes)))
	}
	if facts.Layout != "" {
		m.printf(", %s", escape(facts.Layout))
	}
	m.printf(", bitmap %s", escape(facts.Bitmap))
	if facts.MostSyncBytesPerSecond > 0 {
		m.printf(", syncs with %s beside other work, %s at most", human.Rate(float64(facts.LeastSyncBytesPerSecond)),
			human.Rate(float64(facts.MostSyncBytesPerSecond)))
	}
	if facts.MismatchBytes > 0 {
		m.printf(", the last check found %s that did not match", human.Bytes(float64(facts.MismatchBytes)))
	}
	m.printf("\n")
	m.printf("- md array%s made by: %s\n", of, escape(strings.Join(facts.MadeWith, " ")))
}

// target describes what a variant's workloads ran on; of names the variant if there are several.
func (m *page) target(t model.Target, of string) {
	if t.Claim != nil {
		m.claim(*t.Claim, of)
	}
	if t.Baseline != nil {
		m.baseline(*t.Baseline, of, t.After)
	}
	if t.Pool != nil {
		m.pool(*t.Pool, of, t.After)
	}
}

// pool describes the state of a pool and its dataset after a workload.
func (m *page) pool(facts result.PoolFacts, of, after string) {
	fragmentation := ""
	if facts.FragmentationPercent >= 0 {
		fragmentation = fmt.Sprintf("%d%% fragmented, ", facts.FragmentationPercent)
	}
	m.printf("- Pool%s after %s: %s, ashift %s, %s of %s allocated (%d%%), %scompressed %s×\n", of, escape(after),
		escape(facts.Health), strings.Trim(fmt.Sprint(facts.Ashift), "[]"), human.Bytes(float64(facts.AllocatedBytes)),
		human.Bytes(float64(facts.SizeBytes)), facts.CapacityPercent,
		fragmentation, human.Digits(facts.CompressRatio))
	var shown []string
	for _, name := range compare.Properties {
		if value, ok := facts.DatasetProperties[name]; ok {
			shown = append(shown, escape(name+"="+value))
		}
	}
	if len(shown) > 0 {
		m.printf("- Dataset%s: %s\n", of, strings.Join(shown, " "))
	}
}

// provenance is everything needed to run the benchmark again: versions, plans and the exact command and job file of
// each workload.
func (m *page) provenance() {
	m.printf("\n## Provenance\n\n")
	m.printf("- Operator: %s\n", m.OperatorVersion)
	m.printf("- Benchmark UID: %s\n", m.Benchmark.UID)
	for _, n := range m.Nodes {
		m.printf("- Plan of %s: %s\n", n.Name, n.PlanDigest)
	}
	commands := m.Commands()
	if len(commands) > 0 {
		others := "only randseed differs in the others"
		if m.Varies() {
			others = "in the others randseed differs, and what a variant changes"
		}
		m.printf("\nCommands and job files of each workload's first repetition; %s.\n", others)
	}
	for _, c := range commands {
		m.printf("\n%s, by %s:\n\n%s", escape(c.Workload), escape(c.ToolVersion),
			indented(strings.Join(c.Argv, " ")+"\n\n"+c.JobFile))
	}
}

// claim names a volume that was claimed from Kubernetes.
func (m *page) claim(facts result.ClaimFacts, of string) {
	m.printf("- Persistent volume%s: %s of StorageClass %s", of, escape(facts.Volume), escape(facts.StorageClass))
	if facts.Driver != "" {
		m.printf(", made by %s", escape(facts.Driver))
	}
	if facts.Dataset != "" {
		m.printf(" as %s", escape(facts.Dataset))
	}
	m.printf("\n")
}
