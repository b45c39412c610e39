// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/caveats"
	"zfsbench.io/operator/internal/analysis/compare"
	"zfsbench.io/operator/internal/analysis/threshold"
	"zfsbench.io/operator/internal/result"
)

// DocumentVersion is the schema version of results.json. Fields are added without changing it.
const DocumentVersion = 1

// MaxJSONBytes bounds results.json, so that it fits into the objects of one benchmark. What is left out to stay below is named in the document.
const MaxJSONBytes = 16 << 20

// Document is results.json: the measurements, how the variants compare, and every trial they come from with its histograms.
type Document struct {
	Version         int                       `json:"version"`
	OperatorVersion string                    `json:"operatorVersion"`
	Benchmark       DocumentBenchmark         `json:"benchmark"`
	Phase           string                    `json:"phase"`
	StartTime       *metav1.Time              `json:"startTime,omitempty"`
	CompletionTime  *metav1.Time              `json:"completionTime,omitempty"`
	Spec            v1alpha1.ZfsBenchmarkSpec `json:"spec"`
	// Order is how the trials were ordered; nil for a single variant.
	Order *DocumentOrder `json:"order,omitempty"`
	// Stopping says when nodes could end before the last repetition; nil if they could not.
	Stopping *DocumentStopping `json:"stopping,omitempty"`
	Variants []Variant         `json:"variants"`
	Results  []Measurement     `json:"results"`
	// Work is what whole workloads took of the devices, and what limited them.
	Work []Work `json:"work"`
	// Ratios are how much less than their data pools store of corpora.
	Ratios []Ratio `json:"ratios,omitempty"`
	// FillLevels are those of workloads that fill pools.
	FillLevels []FillLevel `json:"fillLevels,omitempty"`
	// Inspections are what zdb found after workloads that ask for it.
	Inspections []Inspection `json:"inspections,omitempty"`
	// Features are what filesystems can do, of a benchmark with baselines.
	Features []FeatureSet `json:"features,omitempty"`
	// SetUps are how long it took to make what was measured and to take it away.
	SetUps []SetUp `json:"setUps,omitempty"`
	// Comparisons are those of all variants that have a reference; they are one family for HolmP.
	Comparisons []Comparison `json:"comparisons"`
	// Confirmations are of winners that were measured anew, against their references.
	Confirmations []Confirmation `json:"confirmations,omitempty"`
	// ComparedWith are the comparisons with other benchmarks; none until the benchmark has finished.
	ComparedWith []compare.With `json:"comparedWith,omitempty"`
	// Thresholds say of each variant and node whether it meets each threshold; none until the benchmark has finished.
	Thresholds []threshold.Judgement `json:"thresholds,omitempty"`
	// Recommendation is nil if spec.recommend asks for none, and until the benchmark has finished.
	Recommendation *Recommendation `json:"recommendation,omitempty"`
	// Warnings say which results may mislead, and why.
	Warnings []caveats.Warning `json:"warnings"`
	Nodes    []DocumentNode    `json:"nodes"`
	// Omitted names what was left out because the document would have been too large.
	Omitted []string `json:"omitted,omitempty"`
}

// DocumentBenchmark identifies the benchmark.
type DocumentBenchmark struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
}

// DocumentOrder is how trials were ordered within repetitions.
type DocumentOrder struct {
	Kind v1alpha1.RepetitionOrder `json:"kind"`
	// Seed is that of a random order; nil for another.
	Seed *int64 `json:"seed,omitempty"`
}

// DocumentStopping ends the benchmark on a node once every 95% interval reaches at most TargetRelativeError, a fraction, from its result.
type DocumentStopping struct {
	MinRepetitions      int     `json:"minRepetitions"`
	MaxRepetitions      int     `json:"maxRepetitions"`
	TargetRelativeError float64 `json:"targetRelativeError"`
}

// DocumentNode is one node's part.
type DocumentNode struct {
	Name       string `json:"name"`
	PlanDigest string `json:"planDigest"`
	// Planned counts trials, Repetitions the repetitions that they are in; both are what the results so far ask for.
	Planned     int `json:"planned"`
	Repetitions int `json:"repetitions"`
	// Converged says whether every result is as certain as Stopping asks; nil without Stopping, and as long as there is more to run.
	Converged *bool             `json:"converged,omitempty"`
	Facts     *result.NodeFacts `json:"facts,omitempty"`
	Preflight *result.Preflight `json:"preflight,omitempty"`
	Failure   *result.Failure   `json:"failure,omitempty"`
	Trials    []result.Trial    `json:"trials"`
}

// documentWarnings is how many warnings a document holds: every workload on every variant may have several.
const documentWarnings = 1024

// documentJudgements is how many judgements of thresholds a document holds.
const documentJudgements = 4096

// omissions are what is left out of a document that is too large, one after the other until it fits.
var omissions = []struct {
	name  string
	apply func(*Document)
}{
	{"histograms finer than 4 bits", func(d *Document) { coarsen(d, 4) }},
	{"latencies of vdevs", func(d *Document) {
		eachTrial(d, func(t *result.Trial) {
			for i := range t.Samples {
				t.Samples[i].Vdevs, t.Samples[i].OmittedVdevs = nil, 0
			}
		})
	}},
	{"histograms finer than 2 bits", func(d *Document) { coarsen(d, 2) }},
	{"histograms", func(d *Document) { coarsen(d, -1) }},
	{"properties of pools and datasets", func(d *Document) {
		eachTrial(d, func(t *result.Trial) {
			t.Pool.DropProperties()
			for i := range t.Samples {
				t.Samples[i].Pool.DropProperties()
			}
		})
	}},
	{"job files and arguments", func(d *Document) {
		eachTrial(d, func(t *result.Trial) {
			for i := range t.Samples {
				t.Samples[i].JobFile, t.Samples[i].Argv = "", nil
				if d := t.Samples[i].During; d != nil {
					d.Argv = nil
				}
			}
		})
	}},
	{"trials", func(d *Document) {
		for i := range d.Nodes {
			d.Nodes[i].Trials = []result.Trial{}
		}
	}},
	{"work", func(d *Document) { d.Work = []Work{} }},
}

// jsonDocument writes the document on one line, followed by a line feed; it leaves out what it must to take at most limit bytes.
func jsonDocument(in Input, f figures, limit int) ([]byte, error) {
	document := documentOf(in, f)
	if len(document.Warnings) > documentWarnings {
		document.Warnings = document.Warnings[:documentWarnings]
		document.Omitted = append(document.Omitted, fmt.Sprintf("warnings after the first %d", documentWarnings))
	}
	if len(document.Thresholds) > documentJudgements {
		document.Thresholds = document.Thresholds[:documentJudgements]
		document.Omitted = append(document.Omitted, fmt.Sprintf("thresholds after the first %d judgements", documentJudgements))
	}
	for step := 0; ; step++ {
		data, err := json.Marshal(document)
		if err != nil {
			return nil, err
		}
		if len(data) < limit || step == len(omissions) {
			return append(data, '\n'), nil
		}
		document.Omitted = append(document.Omitted, omissions[step].name)
		omissions[step].apply(&document)
	}
}

// documentOf is the whole document.
func documentOf(in Input, f figures) Document {
	document := Document{
		Version: DocumentVersion, OperatorVersion: in.OperatorVersion, Phase: in.Phase,
		Benchmark: DocumentBenchmark{Namespace: in.Benchmark.Namespace, Name: in.Benchmark.Name, UID: string(in.Benchmark.UID)},
		StartTime: in.Benchmark.Status.StartTime, CompletionTime: in.Benchmark.Status.CompletionTime, Spec: in.Benchmark.Spec,
		Variants: slices.Concat([]Variant{}, f.variants), Results: slices.Clone(f.measurements), Work: slices.Concat([]Work{}, f.work), Ratios: f.ratios, FillLevels: f.fillLevels, Inspections: f.inspections, Features: f.features, SetUps: f.setUps, Comparisons: f.comparisons, Confirmations: f.confirmations,
		ComparedWith: f.with, Thresholds: f.judgements, Recommendation: f.recommendation,
		Warnings: slices.Concat([]caveats.Warning{}, f.warnings), Nodes: []DocumentNode{},
	}
	for _, n := range in.Nodes {
		node := DocumentNode{
			Name: n.Name, PlanDigest: n.PlanDigest, Planned: n.Planned, Repetitions: f.ends[n.Name].Repetitions,
			Facts: n.Facts, Preflight: n.Preflight, Failure: n.Failure, Trials: copied(n.Trials),
		}
		if o := n.Plan.Order; o != nil {
			document.Order = &DocumentOrder{Kind: o.Kind}
			if o.Kind == v1alpha1.OrderRandomized {
				document.Order.Seed = &o.Seed
			}
		}
		if s := n.Plan.Stopping; s != nil {
			document.Stopping = &DocumentStopping{s.MinRepetitions, n.Plan.Repetitions(), s.TargetRelativeError}
			if end := f.ends[n.Name]; end.Decided {
				node.Converged = &end.Converged
			}
		}
		document.Nodes = append(document.Nodes, node)
	}
	return document
}

// eachTrial visits the document's own copies of all trials.
func eachTrial(d *Document, visit func(*result.Trial)) {
	for _, n := range d.Nodes {
		for i := range n.Trials {
			visit(&n.Trials[i])
		}
	}
}

// copied copies trials as deep as omissions reach.
func copied(trials []result.Trial) []result.Trial {
	out := make([]result.Trial, 0, len(trials))
	for _, t := range trials {
		samples := make([]result.Sample, 0, len(t.Samples))
		for _, s := range t.Samples {
			s.Read, s.Write, s.Phases = copiedOperation(s.Read), copiedOperation(s.Write), slices.Clone(s.Phases)
			s.Jobs = copiedJobs(s.Jobs)
			if s.During != nil {
				during := *s.During
				s.During = &during
			}
			samples = append(samples, s)
		}
		t.Samples = samples
		out = append(out, t)
	}
	return out
}

func copiedJobs(jobs []result.Job) []result.Job {
	out := slices.Clone(jobs)
	for i, j := range out {
		out[i].Read, out[i].Write = copiedOperation(j.Read), copiedOperation(j.Write)
	}
	return out
}

func copiedOperation(d *result.Operation) *result.Operation {
	if d == nil {
		return nil
	}
	out := *d
	return &out
}

// coarsen lowers the resolution of all histograms; -1 leaves them out.
func coarsen(d *Document, resolution int) {
	lower := func(l *result.Latency) {
		if resolution < 0 {
			l.Histogram = result.Histogram{}
		} else {
			l.Histogram = l.Histogram.Coarsen(resolution)
		}
	}
	for i := range d.Results {
		lower(&d.Results[i].Latency)
	}
	eachTrial(d, func(t *result.Trial) {
		for _, s := range t.Samples {
			for _, o := range s.Performed() {
				lower(&o.Latency)
			}
		}
	})
}
