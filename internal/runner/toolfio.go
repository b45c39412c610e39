// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/fio"
)

// fioTool is the flexible I/O tester.
type fioTool struct {
	workload string
	v1alpha1.FioWorkload
}

func (fioTool) name() string { return "fio" }

func (fioTool) probe() probe {
	return probe{argv: []string{"fio", "--version"}, version: func(stdout, _ string) string {
		if !strings.HasPrefix(stdout, "fio-") {
			return ""
		}
		return strings.TrimSpace(stdout)
	}}
}

func (f fioTool) needsLayout() bool { return fio.NeedsLayout(f.FioWorkload) }

func (f fioTool) start(on place) (start, error) {
	job, err := fio.JobFile(f.FioWorkload, fio.Target{Directory: on.directory, Children: on.children, Device: on.device, Workload: f.workload, Layout: on.layout, Seed: on.seed})
	needs := fio.NeedsOf(f.FioWorkload)
	return start{
		argv:  fio.Argv(sandbox.OutputDir+"/"+inputName, sandbox.OutputDir+"/"+reportName),
		input: job, ioUring: needs.IOUring && !on.layout, limits: sandbox.Limits{Tasks: needs.Tasks, DataBytes: needs.DataBytes},
	}, err
}

func (f fioTool) read(from output, layout bool) (result.Sample, []string, error) {
	file, err := from.open(f.name())
	if err != nil {
		return result.Sample{}, nil, err
	}
	defer func() { _ = file.Close() }()
	report, err := fio.ParseOutput(file)
	if err != nil || layout {
		return result.Sample{}, report.Notes, err
	}
	s, err := report.Sample(f.FioWorkload)
	return s, report.Notes, err
}

func (fioTool) live() live { return fioLive{&fio.StatusDecoder{}} }

// fioLive reads fio's status lines.
type fioLive struct{ *fio.StatusDecoder }

func (l fioLive) last() (status, bool) {
	s, ok := l.Last()
	return status{s.Percent, s.ReadBytesPerSecond, s.WriteBytesPerSecond}, ok
}
