// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools"
	"zfsbench.io/operator/internal/tools/builtin"
)

// Tool is the runner's own tool for a corpus of files. Its data depends on the workload alone, not on the trial, unless
// somebody changes the image or the volume that it may come from.
type Tool struct {
	builtin.Tool
	v1alpha1.CorpusWorkload
}

// Of returns the tool for a workload that uses it; nil for others.
func Of(w v1alpha1.Workload) tools.Tool {
	if w.Corpus == nil {
		return nil
	}
	return Tool{builtin.Tool{Called: Subcommand, Workload: w.Name}, *w.Corpus}
}

// source is where its data comes from.
func (t Tool) source() tools.Source {
	w := v1alpha1.Workload{Corpus: &t.CorpusWorkload}
	return tools.Source{Image: w.Image(), Claim: w.CorpusClaim()}
}

// Probe also requires the source of the data.
func (t Tool) Probe() tools.Probe {
	p := t.Tool.Probe()
	p.Source = t.source()
	return p
}

// Start runs the runner itself.
func (t Tool) Start(on tools.Place) (tools.Start, error) {
	s := tools.Start{
		Argv: Argv(t.CorpusWorkload, t.Directory(on), on.Source, on.Report()), Self: true,
		Limits: tools.Limits{Tasks: builtin.Threads, DataBytes: BufferBytes}, Source: t.source(),
	}
	if _, _, copied := t.Copied(); copied {
		s.Limits.DataBytes += ListBytes
	}
	return s, nil
}
