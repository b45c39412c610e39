// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/caveats"
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/stats"
)

// Version is the schema version of a Comparable. Other versions are not read.
const Version = 1

// Comparable is the part of a benchmark that is kept to compare others with it: every repetition's numbers, and what
// they depend on. Unlike the trials, it fits into one ConfigMap.
type Comparable struct {
	Version   int       `json:"version"`
	Namespace string    `json:"namespace"`
	Name      string    `json:"name"`
	UID       string    `json:"uid"`
	Phase     string    `json:"phase"`
	Completed time.Time `json:"completed,omitzero"`

	// DevicePreparation is what was done to the disks before each pool was made: Discard, or empty for None. Results
	// are compared only if their preparation is the same.
	DevicePreparation v1alpha1.DevicePreparation `json:"devicePreparation,omitempty"`

	// FreshPool is PerVariant if the repetitions of a variant shared a pool, or empty. Results are compared only if
	// this is the same.
	FreshPool v1alpha1.FreshPool `json:"freshPool,omitempty"`

	Nodes     []NodeFacts         `json:"nodes"`
	Variants  []ComparableVariant `json:"variants"`
	Workloads []Workload          `json:"workloads"`
	Results   []Result            `json:"results"`
	// Omitted names what was left out because the document would have been too large.
	Omitted []string `json:"omitted,omitempty"`
}

// NodeFacts is a node with the facts that its numbers depend on.
type NodeFacts struct {
	Name            string `json:"name"`
	OpenZFSUserland string `json:"openzfsUserland,omitempty"`
	OpenZFSModule   string `json:"openzfsModule,omitempty"`
	Kernel          string `json:"kernel,omitempty"`
	OS              string `json:"os,omitempty"`
	CPUModel        string `json:"cpuModel,omitempty"`
	CPUs            int    `json:"cpus,omitempty"`
	MemoryBytes     int64  `json:"memoryBytes,omitempty"`
	ARCMaxBytes     int64  `json:"arcMaxBytes,omitempty"`
}

// ComparableVariant is a variant with its pool and dataset.
type ComparableVariant struct {
	Name string `json:"name"`
	// Stopping is the rule that ended the repetitions when this variant's own scatter was small enough; nil if
	// something else ended them.
	Stopping *Stopping `json:"stopping,omitempty"`
	// Target is the layout of the pool and the effective properties, by name.
	Target map[string]string `json:"target,omitempty"`
}

// Stopping is a rule that ends repetitions when an interval is narrow enough.
type Stopping struct {
	MinRepetitions      int     `json:"minRepetitions"`
	MaxRepetitions      int     `json:"maxRepetitions"`
	TargetRelativeError float64 `json:"targetRelativeError"`
}

// Workload is a workload with all options it ran with. The digest covers the options: only workloads with the same
// digest are compared.
type Workload struct {
	Name    string            `json:"name"`
	Digest  string            `json:"digest"`
	Options map[string]string `json:"options"`
}

// Result is the numbers of one workload, variant, node and operation: a value for each repetition that has one, in
// order, rounded to 6 digits.
type Result struct {
	Workload  string             `json:"workload"`
	Variant   string             `json:"variant"`
	Node      string             `json:"node"`
	Operation v1alpha1.Operation `json:"operation"`
	// Warnings are the kinds of warnings about this result.
	Warnings []string `json:"warnings,omitempty"`
	// ForThresholds says that benchmarks are not compared by it.
	ForThresholds bool `json:"forThresholds,omitempty"`

	BandwidthBytesPerSecond []float64 `json:"bandwidthBytesPerSecond,omitempty"`
	IOPS                    []float64 `json:"iops,omitempty"`
	LatencyMeanNanoseconds  []float64 `json:"latencyMeanNanoseconds,omitempty"`
	LatencyP50Nanoseconds   []float64 `json:"latencyP50Nanoseconds,omitempty"`
	LatencyP95Nanoseconds   []float64 `json:"latencyP95Nanoseconds,omitempty"`
	LatencyP99Nanoseconds   []float64 `json:"latencyP99Nanoseconds,omitempty"`
	LatencyP999Nanoseconds  []float64 `json:"latencyP999Nanoseconds,omitempty"`
}

// values returns where a quantity's values are stored; nil if there is no such quantity.
func (r *Result) values(q experiment.Quantity) *[]float64 {
	switch q {
	case experiment.Rate:
		if len(r.BandwidthBytesPerSecond) == 0 {
			return &r.IOPS
		}
		return &r.BandwidthBytesPerSecond
	case experiment.Bandwidth:
		return &r.BandwidthBytesPerSecond
	case experiment.IOPS:
		return &r.IOPS
	case experiment.LatencyMean:
		return &r.LatencyMeanNanoseconds
	case experiment.LatencyP50:
		return &r.LatencyP50Nanoseconds
	case experiment.LatencyP95:
		return &r.LatencyP95Nanoseconds
	case experiment.LatencyP99:
		return &r.LatencyP99Nanoseconds
	case experiment.LatencyP999:
		return &r.LatencyP999Nanoseconds
	}
	return nil
}

var latencies = []experiment.Quantity{
	experiment.LatencyMean, experiment.LatencyP50, experiment.LatencyP95, experiment.LatencyP99, experiment.LatencyP999,
}

// Sample is the values of a quantity of a result, with the rule that ended them.
func (d Comparable) Sample(r Result, q experiment.Quantity) stats.Sample {
	var s stats.Sample
	if values := r.values(q); values != nil {
		s.Values = *values
	}
	for _, v := range d.Variants {
		if v.Name == r.Variant && v.Stopping != nil {
			s.Rule = stats.StoppingRule{Min: v.Stopping.MinRepetitions, Max: v.Stopping.MaxRepetitions,
				TargetRelativeError: v.Stopping.TargetRelativeError}
		}
	}
	return s
}

// Measured is one node's part of a benchmark.
type Measured struct {
	experiment.NodeTrials
	// Facts are nil until they are known.
	Facts *result.NodeFacts
}

// Of makes the document of a benchmark, of which it reads name, UID and completion time. The nodes' plans are the same
// except for what differs between nodes.
func Of(b *v1alpha1.ZfsBenchmark, phase string, nodes []Measured, warnings []caveats.Warning) Comparable {
	d := Comparable{
		Version: Version, Namespace: b.Namespace, Name: b.Name, UID: string(b.UID), Phase: phase,
		Nodes: []NodeFacts{}, Variants: []ComparableVariant{}, Workloads: []Workload{}, Results: []Result{},
	}
	if b.Status.CompletionTime != nil {
		d.Completed = b.Status.CompletionTime.UTC()
	}
	for i, n := range nodes {
		if i == 0 {
			d.DevicePreparation, d.FreshPool = n.Plan.DevicePreparation, n.Plan.FreshPool
			for _, w := range n.Plan.Workloads {
				d.Workloads = append(d.Workloads, workloadOf(w))
			}
			d.Variants = variantsOf(nodes)
		}
		d.Nodes = append(d.Nodes, nodeOf(n))
		d.Results = append(d.Results, resultsOf(n, warnings)...)
	}
	return d
}

func nodeOf(n Measured) NodeFacts {
	node := NodeFacts{Name: n.Plan.Node.Name}
	if f := n.Facts; f != nil {
		node.OpenZFSUserland, node.OpenZFSModule, node.Kernel, node.OS = f.OpenZFSUserland, f.OpenZFSModule, f.Kernel, f.OS
		node.CPUModel, node.CPUs, node.MemoryBytes, node.ARCMaxBytes = f.CPUModel, f.CPUs, f.MemoryBytes, f.ARCMaxBytes
	}
	return node
}

// variantsOf are the variants of the first node's plan, with the properties and the discarded disks from the first
// trial of each, on any node.
func variantsOf(nodes []Measured) []ComparableVariant {
	found := map[string]result.Trial{}
	for _, n := range slices.Backward(nodes) {
		trials := slices.Clone(n.Trials)
		slices.SortFunc(trials, func(a, b result.Trial) int { return cmp.Compare(b.Index, a.Index) })
		for _, t := range trials {
			if len(t.Samples) > 0 {
				found[t.Variant] = t
			}
		}
	}
	p, variants := nodes[0].Plan, []ComparableVariant{}
	references := p.References()
	for _, v := range p.Variants {
		variant := ComparableVariant{Name: v.Name, Target: targetOf(v, found[v.Name])}
		if s := p.Stopping; s != nil && v.Reference == "" && !references[v.Name] {
			variant.Stopping = &Stopping{s.MinRepetitions, p.Repetitions(), s.TargetRelativeError}
		}
		variants = append(variants, variant)
	}
	return variants
}

// resultsOf are the results of a node, ordered by workload, then operation, then variant.
func resultsOf(n Measured, warnings []caveats.Warning) []Result {
	byVariant := map[string]experiment.NodeTrials{}
	for _, t := range n.Trials {
		of := byVariant[t.Variant]
		of.Plan, of.Trials = n.Plan, append(of.Trials, t)
		byVariant[t.Variant] = of
	}
	kinds := map[caveats.Warning][]string{}
	for _, w := range warnings {
		k := caveats.Warning{Node: w.Node, Variant: w.Variant, Workload: w.Workload}
		if !slices.Contains(kinds[k], w.Kind) {
			kinds[k] = append(kinds[k], w.Kind)
		}
	}
	var all []Result
	decisive := experiment.Metrics(n.Plan, n.Trials)
	for _, m := range experiment.Recorded(n.Plan, n.Trials) {
		for _, v := range n.Plan.Variants {
			r := Result{Workload: m.Workload, Variant: v.Name, Node: n.Plan.Node.Name, Operation: m.Operation,
				ForThresholds: !slices.Contains(decisive, m)}
			r.Warnings = kinds[caveats.Warning{Node: r.Node, Variant: v.Name, Workload: m.Workload}]
			for _, q := range append([]experiment.Quantity{experiment.Bandwidth, experiment.IOPS}, latencies...) {
				*r.values(q) = rounded(byVariant[v.Name].Sample(m, q, plan.Variant{Name: v.Name}).Values)
			}
			if len(r.BandwidthBytesPerSecond)+len(r.IOPS) > 0 {
				all = append(all, r)
			}
		}
	}
	return all
}

// rounded keeps 6 digits; the scatter of a benchmark makes at most 3 of them meaningful.
func rounded(values []float64) []float64 {
	var out []float64
	for _, v := range values {
		if r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64); err == nil {
			out = append(out, r)
		}
	}
	return out
}
