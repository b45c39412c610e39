// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/internal/mdraid"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// arraysCheck wants mdadm, and a kernel that has every level of md arrays of the plan.
func (e *Engine) arraysCheck(ctx context.Context) result.Check {
	var problems, names []string
	var levels []mdraid.Level
	for _, v := range e.plan.Variants {
		array := v.Array()
		if array == nil {
			continue
		}
		level, known := mdraid.Of(array.Level)
		switch {
		case !known:
			problems = appendNew(problems, sentence(fmt.Sprintf("this runner does not know md arrays of level %s", array.Level)))
		case !slices.Contains(names, string(level.Name)):
			names, levels = append(names, string(level.Name)), append(levels, level)
		}
	}
	version, err := e.Baselines.FindArrays(ctx, levels)
	e.arrayTool = version
	if err != nil {
		problems = append(problems, sentence(fmt.Sprintf("md arrays cannot be used: %v", err)))
	}
	return verdict(checkArrays, problems, nil, fmt.Sprintf("the node has %s %s, and its kernel %s", mdraid.Tool, version, strings.Join(names, ", ")))
}

func isOnArray(v plan.Variant) bool { return v.Array() != nil }
