// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools"
)

// Tool is the flexible I/O tester.
type Tool struct {
	tools.Defaults
	// Workload is the workload's name.
	Workload string
	v1alpha1.FioWorkload
}

// Of returns the tool for a workload that uses it; nil for others.
func Of(w v1alpha1.Workload) tools.Tool {
	if w.Fio == nil {
		return nil
	}
	return Tool{Workload: w.Name, FioWorkload: *w.Fio}
}

// Name is the tool's name in messages.
func (Tool) Name() string { return string(tool) }

// Probe asks for the version.
func (Tool) Probe() tools.Probe {
	return tools.Probe{Argv: []string{"fio", "--version"}, Version: func(stdout, _ string) string {
		if !strings.HasPrefix(stdout, "fio-") {
			return ""
		}
		return strings.TrimSpace(stdout)
	}}
}

// NeedsLayout says whether a job reads or overwrites.
func (t Tool) NeedsLayout() bool { return NeedsLayout(t.FioWorkload) }

// Start is fio with a job file.
func (t Tool) Start(on tools.Place) (tools.Start, error) {
	job, err := JobFile(t.FioWorkload, Target{
		Directory: on.Directory, Children: on.Children, Device: on.Device, Workload: t.Workload, Layout: on.Layout,
		Seed: on.Seed,
	})
	needs := NeedsOf(t.FioWorkload)
	return tools.Start{
		Argv: Argv(on.Input(), on.Report()), Input: job, IOUring: needs.IOUring && !on.Layout,
		Limits: tools.Limits{Tasks: needs.Tasks, DataBytes: needs.DataBytes},
	}, err
}

// Read reads the JSON that fio writes.
func (t Tool) Read(from tools.Output, layout bool) (result.Sample, []string, error) {
	file, err := from.Open(t.Name())
	if err != nil {
		return result.Sample{}, nil, err
	}
	defer func() { _ = file.Close() }()
	report, err := ParseOutput(file)
	if err != nil || layout {
		return result.Sample{}, report.Notes, err
	}
	s, err := report.Sample(t.FioWorkload)
	return s, report.Notes, err
}

// Live reads fio's status lines.
func (Tool) Live() tools.Live { return &StatusDecoder{} }
