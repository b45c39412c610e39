// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"fmt"
	"slices"

	"zfsbench.io/operator/internal/result"
)

// DocumentVersion is the schema version of results.json. Fields are added without changing it.
const DocumentVersion = 1

// MaxJSONBytes bounds results.json, so that it fits into the objects of one benchmark. What is left out to stay below is named in the document.
const MaxJSONBytes = 16 << 20

// documentWarnings is how many warnings a document holds: every workload on every variant may have several.
const documentWarnings = 1024

// documentJudgements is how many judgements of thresholds a document holds.
const documentJudgements = 4096

// omissions are what is left out of a document that is too large, one after the other until it fits.
var omissions = []struct {
	name  string
	apply func(*Report)
}{
	{"histograms finer than 4 bits", func(d *Report) { coarsen(d, 4) }},
	{"latencies of vdevs", func(d *Report) {
		eachTrial(d, func(t *result.Trial) {
			for i := range t.Samples {
				t.Samples[i].Vdevs, t.Samples[i].OmittedVdevs = nil, 0
			}
		})
	}},
	{"histograms finer than 2 bits", func(d *Report) { coarsen(d, 2) }},
	{"histograms", func(d *Report) { coarsen(d, -1) }},
	{"properties of pools and datasets", func(d *Report) {
		eachTrial(d, func(t *result.Trial) {
			t.Pool.DropProperties()
			for i := range t.Samples {
				t.Samples[i].Pool.DropProperties()
			}
		})
	}},
	{"job files and arguments", func(d *Report) {
		eachTrial(d, func(t *result.Trial) {
			for i := range t.Samples {
				t.Samples[i].JobFile, t.Samples[i].Argv = "", nil
				if d := t.Samples[i].During; d != nil {
					d.Argv = nil
				}
			}
		})
	}},
	{"trials", func(d *Report) {
		for i := range d.Nodes {
			d.Nodes[i].Trials = []result.Trial{}
		}
	}},
	{"work", func(d *Report) { d.Work = []Work{} }},
}

// jsonDocument writes the report on one line, followed by a line feed. It leaves out what it must to take at most limit
// bytes.
func jsonDocument(r *Report, limit int) ([]byte, error) {
	document := *r
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
		if step == 0 {
			document = detached(document)
		}
		document.Omitted = append(document.Omitted, omissions[step].name)
		omissions[step].apply(&document)
	}
}

// detached is a report with copies of what omissions change.
func detached(r Report) Report {
	r.Results, r.Nodes = slices.Clone(r.Results), slices.Clone(r.Nodes)
	for i, n := range r.Nodes {
		r.Nodes[i].Trials = copied(n.Trials)
	}
	return r
}

// eachTrial visits the document's own copies of all trials.
func eachTrial(d *Report, visit func(*result.Trial)) {
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
func coarsen(d *Report, resolution int) {
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
