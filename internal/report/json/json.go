// SPDX-License-Identifier: Apache-2.0

package json

import (
	"encoding/json"
	"fmt"
	"slices"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/result"
)

// MaxJSONBytes limits results.json, so that it fits into the objects of one benchmark. The document names the parts
// that were left out for that.
const MaxJSONBytes = 16 << 20

// maxWarnings is the maximum number of warnings in a document: every workload on every variant may have several.
const maxWarnings = 1024

// maxJudgements is the maximum number of judgements of thresholds in a document.
const maxJudgements = 4096

// omissions are the parts to leave out of a document that is too large, one after another until it fits.
var omissions = []struct {
	name  string
	apply func(*model.Report)
}{
	{"histograms finer than 4 bits", func(d *model.Report) { coarsen(d, 4) }},
	{"latencies of vdevs", func(d *model.Report) {
		eachTrial(d, func(t *result.Trial) {
			for i := range t.Samples {
				t.Samples[i].Vdevs, t.Samples[i].OmittedVdevs = nil, 0
			}
		})
	}},
	{"histograms finer than 2 bits", func(d *model.Report) { coarsen(d, 2) }},
	{"histograms", func(d *model.Report) { coarsen(d, -1) }},
	{"properties of pools and datasets", func(d *model.Report) {
		eachTrial(d, func(t *result.Trial) {
			t.Pool.DropProperties()
			for i := range t.Samples {
				t.Samples[i].Pool.DropProperties()
			}
		})
	}},
	{"job files and arguments", func(d *model.Report) {
		eachTrial(d, func(t *result.Trial) {
			for i := range t.Samples {
				t.Samples[i].JobFile, t.Samples[i].Argv = "", nil
				if d := t.Samples[i].During; d != nil {
					d.Argv = nil
				}
			}
		})
	}},
	{"trials", func(d *model.Report) {
		for i := range d.Nodes {
			d.Nodes[i].Trials = []result.Trial{}
		}
	}},
	{"work", func(d *model.Report) { d.Work = []model.Work{} }},
}

// Write writes the report on one line, followed by a line feed. It leaves out as many parts as necessary to stay within
// limit bytes.
func Write(r *model.Report, limit int) ([]byte, error) {
	document := *r
	if len(document.Warnings) > maxWarnings {
		document.Warnings = document.Warnings[:maxWarnings]
		document.Omitted = append(document.Omitted, fmt.Sprintf("warnings after the first %d", maxWarnings))
	}
	if len(document.Thresholds) > maxJudgements {
		document.Thresholds = document.Thresholds[:maxJudgements]
		document.Omitted = append(document.Omitted, fmt.Sprintf("thresholds after the first %d judgements", maxJudgements))
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

// detached is a report with its own copies of everything that omissions change.
func detached(r model.Report) model.Report {
	r.Results, r.Nodes = slices.Clone(r.Results), slices.Clone(r.Nodes)
	for i, n := range r.Nodes {
		r.Nodes[i].Trials = model.CopyTrials(n.Trials)
	}
	return r
}

// eachTrial visits the document's own copies of all trials.
func eachTrial(d *model.Report, visit func(*result.Trial)) {
	for _, n := range d.Nodes {
		for i := range n.Trials {
			visit(&n.Trials[i])
		}
	}
}

// coarsen lowers the resolution of all histograms; -1 leaves them out.
func coarsen(d *model.Report, resolution int) {
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
			for _, o := range s.Operations() {
				lower(&o.Latency)
			}
		}
	})
}
