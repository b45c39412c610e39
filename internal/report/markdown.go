// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
)

// markdown writes summary.md, section by section. It reads as well in a terminal as it does rendered.
type markdown struct {
	in  Input
	all []Measurement
	out strings.Builder
}

func markdownDocument(in Input, all []Measurement) []byte {
	m := &markdown{in: in, all: all}
	m.title()
	m.preflights()
	if !m.isDryRun() {
		m.results()
	}
	m.failures()
	m.experiment()
	m.nodes()
	m.provenance()
	return []byte(m.out.String())
}

func (m *markdown) printf(format string, args ...any) { fmt.Fprintf(&m.out, format, args...) }

// title says what this is and how far it got.
func (m *markdown) title() {
	b := m.in.Benchmark
	m.printf("# %s: %s\n\n", b.Name, m.in.Phase)
	if m.isDryRun() {
		m.printf("Dry run of benchmark %s/%s on %s", b.Namespace, b.Name, plural(len(m.in.Nodes), "node"))
	} else {
		m.counts()
	}
	m.times()
}

// counts says how many trials there are and how they ended.
func (m *markdown) counts() {
	b := m.in.Benchmark
	var planned, complete, failed int
	for _, n := range m.in.Nodes {
		planned += n.Planned
		for _, t := range n.Trials {
			if t.Failure != nil {
				failed++
			} else {
				complete++
			}
		}
	}
	m.printf("Benchmark %s/%s on %s: %d of %s complete", b.Namespace, b.Name, plural(len(m.in.Nodes), "node"), complete, plural(planned, "trial"))
	if failed > 0 {
		m.printf(", %d failed", failed)
	}
}

// times ends the title's sentence with when it was.
func (m *markdown) times() {
	b := m.in.Benchmark
	if start, end := b.Status.StartTime, b.Status.CompletionTime; start != nil {
		m.printf(", from %s", start.UTC().Format(time.DateTime))
		if end != nil {
			m.printf(" to %s UTC (%s)", end.UTC().Format(time.DateTime), Duration(end.Sub(start.Time)))
		} else {
			m.printf(" UTC")
		}
	}
	m.printf(".\n")
}

// where are the columns that tell measurements apart; a column in which all are alike is left out.
func (m *markdown) where() (titles []string, cells func(Measurement) []string) {
	variants, nodes := map[string]bool{}, map[string]bool{}
	for _, r := range m.all {
		variants[r.Variant], nodes[r.Node] = true, true
	}
	titles = []string{"Workload"}
	if len(variants) > 1 {
		titles = append(titles, "Variant")
	}
	if len(nodes) > 1 {
		titles = append(titles, "Node")
	}
	return append(titles, "Direction"), func(r Measurement) []string {
		out := []string{r.Workload}
		if len(variants) > 1 {
			out = append(out, r.Variant)
		}
		if len(nodes) > 1 {
			out = append(out, r.Node)
		}
		return append(out, string(r.Direction))
	}
}

// results are two tables, because one would be too wide to read.
func (m *markdown) results() {
	m.printf("\n## Results\n\n")
	if len(m.all) == 0 {
		m.printf("No workload has been measured.\n")
		return
	}
	titles, cells := m.where()
	throughput := newTable(append(slices.Clone(titles), ">n", ">Bandwidth", ">Spread", ">IOPS", ">CPU s/GiB", ">Device/app")...)
	latency := newTable(append(slices.Clone(titles), ">Mean", ">p50", ">p95", ">p99", ">p99.9", ">Max")...)
	for _, r := range m.all {
		throughput.add(append(cells(r), fmt.Sprint(r.Repetitions), Rate(r.BandwidthBytesPerSecond), spread(r), Count(r.IOPS), digits(r.NodeCPUSecondsPerGiB),
			digits(r.DeviceBytesPerByte))...)
		l := r.Latency
		latency.add(append(cells(r), Latency(l.MeanNanoseconds), percentile(l.P50Nanoseconds), percentile(l.P95Nanoseconds), percentile(l.P99Nanoseconds),
			percentile(l.P999Nanoseconds), Latency(float64(l.MaxNanoseconds)))...)
	}
	m.printf("%s\n", throughput)
	m.printf("n: repetitions. Bandwidth, IOPS, CPU and Device/app are medians over them.\n")
	m.printf("Spread: fastest minus slowest repetition, as a part of the median.\n")
	m.printf("CPU s/GiB: time the node's CPUs worked, ZFS's kernel threads included, per GiB read and written.\n")
	m.printf("Device/app: bytes that reached the pool's devices per byte of the workload: more than 1 with\n")
	m.printf("redundancy and metadata, less with compression or caching.\n\n")
	m.printf("Total latency (submission and completion) of all I/O of all repetitions:\n\n%s\n", latency)
	m.notes()
}

func spread(r Measurement) string {
	if r.Repetitions < 2 {
		return "-"
	}
	return digits(100*r.BandwidthSpread) + "%"
}

// percentile is a dash where it is not known.
func percentile(nanoseconds int64) string {
	if nanoseconds == 0 {
		return "-"
	}
	return Latency(float64(nanoseconds))
}

// notes say what a reader must know before believing the tables.
func (m *markdown) notes() {
	single, missing, coarsest := false, false, 0.0
	for _, r := range m.all {
		single = single || r.Repetitions == 1
		if h := r.Latency.Histogram; h.IsZero() {
			missing = missing || r.Latency.Count > 0
		} else {
			coarsest = max(coarsest, 100/float64(int(2)<<h.Bits))
		}
	}
	if coarsest > 0 {
		m.printf("- Percentiles are exact to within %s%% of their value.\n", digits(coarsest))
	}
	if missing {
		m.printf("- A dash among the percentiles: a histogram was too large to be sent.\n")
	}
	if single {
		m.printf("- Where n is 1, nothing is known of how much another run would differ.\n")
	}
	for _, d := range m.in.Benchmark.Spec.Devices {
		if d.File != nil {
			m.printf("- Devices are files: the numbers measure the node's own filesystem and page cache as well.\n")
			break
		}
	}
	unhealthy := m.unhealthy()
	for _, line := range unhealthy[:min(len(unhealthy), maxFailures)] {
		m.printf("- %s\n", line)
	}
	if more := len(unhealthy) - maxFailures; more > 0 {
		m.printf("- The pool was not ONLINE after %s more, in %s.\n", plural(more, "workload"), JSONKey)
	}
}

// unhealthy names the trials after which a pool was not ONLINE.
func (m *markdown) unhealthy() []string {
	var out []string
	for _, n := range m.in.Nodes {
		for _, t := range n.Trials {
			for _, s := range t.Samples {
				if h := s.Pool.Health; h != "" && h != "ONLINE" {
					out = append(out, fmt.Sprintf("After %s of trial %d on %s the pool was %s.", escape(s.Workload), t.Index, n.Name, escape(h)))
				}
			}
		}
	}
	return out
}

// maxFailures is how many failures, and how many pools that were not ONLINE, are told in full.
const maxFailures = 20

// failures say what went wrong, where, and what the failing tool said last.
func (m *markdown) failures() {
	var told, more int
	tell := func(where string, reason, message, tail string) {
		if told == maxFailures {
			more++
			return
		}
		if told++; told == 1 {
			m.printf("\n## Failures\n")
		}
		m.printf("\n%s: %s: %s\n", where, escape(reason), escape(message))
		if tail != "" {
			m.printf("\n%s", indented(tail))
		}
	}
	for _, n := range m.in.Nodes {
		if f := n.Failure; f != nil && !n.stoppedByPreflight() {
			tell(n.Name, f.Reason, f.Message, f.Tail)
		}
		for _, t := range n.Trials {
			if f := t.Failure; f != nil {
				where := fmt.Sprintf("%s, trial %d (variant %s, repetition %d)", n.Name, t.Index, escape(t.Variant), t.Repetition)
				tell(where, f.Reason, f.Message, f.Tail)
			}
		}
	}
	if more > 0 {
		m.printf("\nAnd %d more, in %s.\n", more, JSONKey)
	}
}

// plural counts a thing.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// variantsOf are the variants that a node ran, in the order of their trials.
func variantsOf(n Node) []string {
	var out []string
	for _, t := range n.Trials {
		if !slices.Contains(out, t.Variant) {
			out = append(out, t.Variant)
		}
	}
	return out
}

// vdevs is a group of vdevs as `zpool create` would take them, with the names of the spec.
func vdevs(class string, list []v1alpha1.Vdev) string {
	words := []string{}
	for _, v := range list {
		if class != "" {
			words = append(words, class)
		}
		if v.Type != v1alpha1.VdevStripe {
			words = append(words, string(v.Type))
		}
		words = append(words, v.Devices...)
	}
	return strings.Join(words, " ")
}
