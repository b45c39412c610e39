// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/stats"
	"zfsbench.io/operator/internal/text/human"
)

// Other is a benchmark to compare with, or the reason why there is none.
type Other struct {
	// Name is the name of the entry in spec.comparison.with.
	Name       string
	Comparable Comparable
	// Problem says in a sentence why there is nothing to compare with; otherwise it is empty.
	Problem string
}

// With is the outcome of the comparison with one other benchmark.
type With struct {
	Name string `json:"name"`
	// Problem says why nothing could be compared.
	Problem string `json:"problem,omitempty"`
	// Benchmark is the name of the other benchmark, NAMESPACE/NAME, according to its document.
	Benchmark string `json:"benchmark,omitempty"`
	// Comparisons are one family for HolmP.
	Comparisons []Change `json:"comparisons"`
	// NotCompared are the results without a counterpart, grouped by the reason.
	NotCompared []NotCompared `json:"notCompared"`
	// Differences are other differences between the compared results; at most 256.
	Differences []Difference `json:"differences"`
	// Omitted is what the other document left out.
	Omitted []string `json:"omitted,omitempty"`
}

// Change compares the rate of a result with the other benchmark's, without pairs.
type Change struct {
	Workload     string             `json:"workload"`
	Operation    v1alpha1.Operation `json:"operation"`
	Variant      string             `json:"variant"`
	OtherVariant string             `json:"otherVariant"`
	Node         string             `json:"node"`
	OtherNode    string             `json:"otherNode"`
	// N and OtherN are the numbers of repetitions.
	N      int `json:"n"`
	OtherN int `json:"otherN"`
	// InOperations says that Mean and OtherMean are in operations per second, because no bytes are moved; otherwise
	// they are in bytes per second.
	InOperations bool `json:"inOperations,omitempty"`
	// Mean and OtherMean are the geometric means.
	Mean      float64 `json:"geometricMean"`
	OtherMean float64 `json:"otherGeometricMean"`
	// Ratio is Mean divided by OtherMean.
	Ratio float64 `json:"ratio"`
	// Interval95 and Interval90 contain the true ratio; they are nil if either benchmark has fewer than 2 repetitions.
	Interval95 *Interval     `json:"interval95,omitempty"`
	Interval90 *Interval     `json:"interval90,omitempty"`
	P          float64       `json:"p"`
	HolmP      float64       `json:"holmP"`
	Verdict    stats.Verdict `json:"verdict"`
}

// Interval contains the true value with the confidence that its field's name says.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Known converts an interval for JSON; nil for an unknown one.
func Known(i stats.Interval) *Interval {
	if i == (stats.Interval{}) || math.IsNaN(i.Low+i.High) || math.IsInf(i.Low, 0) || math.IsInf(i.High, 0) {
		return nil
	}
	return &Interval{i.Low, i.High}
}

// NotCompared says why results of a workload have no counterpart.
type NotCompared struct {
	Workload string `json:"workload"`
	Reason   string `json:"reason"`
	Results  int    `json:"results"`
}

// Difference is a condition that numbers depend on and that differs between the two.
type Difference struct {
	What  string `json:"what"`
	Here  string `json:"here"`
	There string `json:"there"`
}

// maxDifferences limits how many differences a document lists.
const maxDifferences = 256

// Match finds the counterpart of a result: the same workload and operation, and the variant and node of the same name.
// If both benchmarks have only one variant, or only one node, its name does not matter. problem says why there is no
// counterpart.
func (d Comparable) Match(other Comparable, r Result) (counterpart Result, problem string) {
	if problem := d.workload(r.Workload).differs(other.workload(r.Workload)); problem != "" {
		return Result{}, problem
	}
	if here, there := d.preparation(), other.preparation(); here != there {
		return Result{}, fmt.Sprintf("Not comparable, the disks were prepared in another way: devicePreparation is %s here "+
			"and %s there.", here, there)
	}
	if here, there := d.freshPool(), other.freshPool(); here != there {
		return Result{}, fmt.Sprintf("Not comparable, one measured pools in use: freshPool is %s here and %s there.",
			here, there)
	}
	want := r.place()
	if len(d.Variants) == 1 && len(other.Variants) == 1 {
		want.variant = other.Variants[0].Name
	}
	if len(d.Nodes) == 1 && len(other.Nodes) == 1 {
		want.node = other.Nodes[0].Name
	}
	i := slices.IndexFunc(other.Results, func(o Result) bool { return o.place() == want })
	switch {
	case i >= 0:
		return other.Results[i], ""
	case !slices.ContainsFunc(other.Variants, func(v ComparableVariant) bool { return v.Name == want.variant }):
		return Result{}, fmt.Sprintf("The other has no variant %s.", want.variant)
	case !slices.ContainsFunc(other.Nodes, func(n NodeFacts) bool { return n.Name == want.node }):
		return Result{}, fmt.Sprintf("The other did not run on node %s.", want.node)
	}
	return Result{}, "The other has no results of it."
}

// preparation is the value of devicePreparation in the spec.
func (d Comparable) preparation() v1alpha1.DevicePreparation {
	return cmp.Or(d.DevicePreparation, v1alpha1.DevicePreparationNone)
}

// freshPool is the value of freshPool in the spec.
func (d Comparable) freshPool() v1alpha1.FreshPool {
	return cmp.Or(d.FreshPool, v1alpha1.FreshPoolPerRepetition)
}

// workload returns a workload by name, or the zero Workload.
func (d Comparable) workload(name string) Workload {
	for _, w := range d.Workloads {
		if w.Name == name {
			return w
		}
	}
	return Workload{}
}

// differs says why the numbers of two workloads are not comparable; empty if they are.
func (w Workload) differs(other Workload) string {
	switch {
	case other.Digest == "":
		return "The other has no workload of this name."
	case w.Digest == other.Digest:
		return ""
	}
	var options []string
	for _, d := range differing(w.Options, other.Options) {
		options = append(options, fmt.Sprintf("%s is %s here and %s there", d.What, d.Here, d.There))
	}
	return "Not comparable, the workload is different: " + clip(strings.Join(options, ", "), 4*maxText) + "."
}

// unset stands for a missing value.
const unset = "unset"

// differing are the differences between two maps, by name.
func differing(here, there map[string]string) []Difference {
	var all []Difference
	for _, name := range slices.Sorted(maps.Keys(here)) {
		if here[name] != there[name] {
			all = append(all, Difference{name, here[name], cmp.Or(there[name], unset)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(there)) {
		if _, known := here[name]; !known {
			all = append(all, Difference{name, unset, there[name]})
		}
	}
	return all
}

// Against compares the rates of all results with the rates of another benchmark. margin is the difference that does not
// matter, as a fraction.
func (d Comparable) Against(other Other, margin float64) (With, error) {
	w := With{Name: other.Name, Problem: other.Problem, Comparisons: []Change{}, NotCompared: []NotCompared{},
		Differences: []Difference{}}
	if w.Problem != "" {
		return w, nil
	}
	w.Benchmark, w.Omitted = other.Comparable.Namespace+"/"+other.Comparable.Name, other.Comparable.Omitted
	var compared []stats.Comparison
	var p []float64
	differences := differences{}
	for _, r := range d.Results {
		if r.ForThresholds {
			continue
		}
		o, problem := d.Match(other.Comparable, r)
		if problem != "" {
			w.leaveOut(r.Workload, problem)
			continue
		}
		c, err := stats.CompareUnpaired(d.Sample(r, experiment.Rate), other.Comparable.Sample(o, experiment.Rate))
		if err != nil {
			return With{}, fmt.Errorf("compare with %s: %w", other.Name, err)
		}
		if c.N == 0 {
			w.leaveOut(r.Workload, "The other has no results of it.")
			continue
		}
		compared, p = append(compared, c), append(p, c.P)
		w.Comparisons = append(w.Comparisons, changeOf(d, other.Comparable, r, o, c))
		differences.add(d, other.Comparable, r, o)
	}
	for i, corrected := range stats.Holm(p) {
		w.Comparisons[i].HolmP, w.Comparisons[i].Verdict = corrected,
			stats.Judge(compared[i], corrected, margin, stats.Maximize)
	}
	w.Differences = differences.list[:min(len(differences.list), maxDifferences)]
	if w.Differences == nil {
		w.Differences = []Difference{}
	}
	if len(w.Comparisons) == 0 {
		w.Problem = "None of the results has a counterpart."
	}
	return w, nil
}

func changeOf(d, other Comparable, r, o Result, c stats.Comparison) Change {
	mean := func(d Comparable, r Result) float64 {
		s, err := stats.Summarize(d.Sample(r, experiment.Rate).Values, stats.StoppingRule{})
		if err != nil {
			return 0
		}
		return s.GeometricMean
	}
	return Change{
		Workload: r.Workload, Operation: r.Operation, Variant: r.Variant, OtherVariant: o.Variant, Node: r.Node,
		OtherNode: o.Node,
		N:         len(*r.values(experiment.Rate)), OtherN: len(*o.values(experiment.Rate)),
		InOperations: len(r.BandwidthBytesPerSecond) == 0, Mean: mean(d, r), OtherMean: mean(other, o),
		Ratio: c.Ratio, Interval95: Known(c.Interval95), Interval90: Known(c.Interval90), P: c.P,
	}
}

func (w *With) leaveOut(workload, reason string) {
	for i := range w.NotCompared {
		if w.NotCompared[i].Workload == workload && w.NotCompared[i].Reason == reason {
			w.NotCompared[i].Results++
			return
		}
	}
	w.NotCompared = append(w.NotCompared, NotCompared{workload, reason, 1})
}

// differences collects the differences between compared results, each once.
type differences struct {
	list []Difference
	seen map[string]bool
}

// add adds the differences between two results: how their benchmarks ended, their nodes, their variants, and the
// warnings about them. Warnings are listed even if both have the same.
func (all *differences) add(d, other Comparable, r, o Result) {
	once := func(key string, found []Difference, prefix string) {
		if all.seen == nil {
			all.seen = map[string]bool{}
		}
		if all.seen[key] {
			return
		}
		all.seen[key] = true
		for _, f := range found {
			f.What = prefix + f.What
			all.list = append(all.list, f)
		}
	}
	once("phase", differing(map[string]string{"benchmark": d.Phase}, map[string]string{"benchmark": other.Phase}), "")
	once("node "+r.Node, differing(d.node(r.Node), other.node(o.Node)), "node "+r.Node+": ")
	if here, there := d.target(r.Variant), other.target(o.Variant); here != nil && there != nil {
		once("variant "+r.Variant, differing(here, there), "variant "+r.Variant+": ")
	}
	if len(r.Warnings)+len(o.Warnings) > 0 {
		what := fmt.Sprintf("%s %s, variant %s on %s: warnings", r.Workload, r.Operation, r.Variant, r.Node)
		once(what, []Difference{{what, cmp.Or(strings.Join(r.Warnings, ", "), "none"),
			cmp.Or(strings.Join(o.Warnings, ", "), "none")}}, "")
	}
}

// node is the facts that the numbers of a node depend on, by name; unknown facts are left out.
func (d Comparable) node(name string) map[string]string {
	facts := map[string]string{}
	for _, n := range d.Nodes {
		if n.Name != name {
			continue
		}
		for what, value := range map[string]string{
			"name": n.Name, "OpenZFS (userland)": n.OpenZFSUserland, "OpenZFS (module)": n.OpenZFSModule, "kernel": n.Kernel,
			"OS": n.OS, "CPU": n.CPUModel,
			"CPUs": known(n.CPUs > 0, fmt.Sprint(n.CPUs)), "memory": known(n.MemoryBytes > 0,
				human.Bytes(float64(n.MemoryBytes))),
			"largest ARC": known(n.ARCMaxBytes > 0, human.Bytes(float64(n.ARCMaxBytes))),
		} {
			if value != "" {
				facts[what] = value
			}
		}
	}
	return facts
}

func known(is bool, text string) string {
	if is {
		return text
	}
	return ""
}

// target is what a variant runs on; nil if that was left out of the document.
func (d Comparable) target(name string) map[string]string {
	for _, v := range d.Variants {
		if v.Name == name {
			return v.Target
		}
	}
	return nil
}
