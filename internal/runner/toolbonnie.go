// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/bonnie"
)

// bonnieTool is bonnie++.
type bonnieTool struct{ v1alpha1.BonnieWorkload }

func (bonnieTool) name() string { return "bonnie++" }

// probe asks for help, which bonnie++ takes for a mistake, and answers with its version.
func (bonnieTool) probe() probe {
	return probe{argv: []string{"bonnie++", "-h"}, fails: true, version: func(_, stderr string) string {
		_, after, found := strings.Cut(stderr, "\nVersion: ")
		if !found {
			return ""
		}
		return "bonnie++-" + strings.TrimSpace(after)
	}}
}

func (bonnieTool) needsLayout() bool { return false }

func (b bonnieTool) start(on place) (start, error) {
	argv := bonnie.Argv(b.BonnieWorkload, on.directory, on.seed)
	return start{argv: argv, limits: sandbox.Limits{Tasks: bonnie.Tasks}}, nil
}

func (bonnieTool) read(from output, _ bool) (result.Sample, []string, error) {
	s, err := bonnie.Parse(strings.NewReader(from.printed))
	return s, nil, err
}

func (bonnieTool) live() live { return silent{} }
