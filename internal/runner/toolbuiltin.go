// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"errors"
	"strings"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/builtin"
)

// threads are more than the Go runtime has beside those that wait for the filesystem.
const threads = 64

// builtinTool is what all of the runner's own tools have in common.
type builtinTool struct {
	// tool is its subcommand, workload the workload's name.
	tool, workload string
}

func (b builtinTool) name() string { return b.tool }

func (b builtinTool) probe() probe {
	return probe{argv: []string{builtin.Program, "--version"}, self: true, version: func(stdout, _ string) string {
		words := strings.Fields(stdout)
		if len(words) == 0 {
			return ""
		}
		return b.tool + "-" + words[len(words)-1]
	}}
}

// read takes a layout that did not get to its end for a failure: what would be measured then is not what was asked for.
func (b builtinTool) read(from output, layout bool) (result.Sample, []string, error) {
	file, err := from.open(b.tool)
	if err != nil {
		return result.Sample{}, nil, err
	}
	defer func() { _ = file.Close() }()
	s, err := builtin.Parse(b.tool, file)
	if err == nil && layout {
		for _, p := range s.Phases {
			if p.Ended != "" {
				err = errors.New("there is no space for all of the files")
			}
		}
		s = result.Sample{}
	}
	return s, nil, err
}

func (builtinTool) live() live { return percentLive{&builtin.StatusDecoder{}} }

// directory is the workload's own below what it runs on.
func (b builtinTool) directory(on place) string { return on.directory + "/" + b.workload }
