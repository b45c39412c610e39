// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"errors"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/sandbox"
	"zfsbench.io/operator/internal/tree"
)

// treeTool is the runner's own, for trees of files.
type treeTool struct {
	workload string
	v1alpha1.TreeWorkload
}

// threads are more than the Go runtime has beside those that wait for the filesystem.
const threads = 64

func (treeTool) name() string { return "tree" }

func (treeTool) probe() probe {
	return probe{argv: []string{tree.Program, "--version"}, self: true, version: func(stdout, _ string) string {
		words := strings.Fields(stdout)
		if len(words) == 0 {
			return ""
		}
		return "tree-" + words[len(words)-1]
	}}
}

func (t treeTool) needsLayout() bool { return tree.NeedsLayout(t.TreeWorkload) }

func (t treeTool) start(on place) (start, error) {
	workers := tree.Workers(t.TreeWorkload)
	return start{
		argv: tree.Argv(t.TreeWorkload, on.directory+"/"+t.workload, sandbox.OutputDir+"/"+reportName, on.seed, on.layout), self: true,
		limits: sandbox.Limits{Tasks: workers + threads, DataBytes: int64(workers) * 2 * tree.BufferBytes},
	}, nil
}

func (treeTool) read(from output, layout bool) (result.Sample, []string, error) {
	file, err := from.open(tree.ErrNoReport)
	if err != nil {
		return result.Sample{}, nil, err
	}
	defer func() { _ = file.Close() }()
	s, err := tree.Parse(file)
	if err == nil && layout {
		for _, p := range s.Phases {
			if p.Ended != "" {
				err = errors.New("there is no space for the whole tree")
			}
		}
		s = result.Sample{}
	}
	return s, nil, err
}

func (treeTool) live() live { return &treeLive{} }

// treeLive reads the program's status lines.
type treeLive struct{ tree.StatusDecoder }

func (l *treeLive) last() (status, bool) {
	percent, ok := l.Percent()
	return status{percent: percent}, ok
}
