// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/hostfs"
	"zfsbench.io/operator/internal/storage/mdraid"
	"zfsbench.io/operator/internal/text/human"
)

// arraysCheck requires mdadm, and a kernel that supports every md level of the plan and passes trims on.
func (c *Checks) arraysCheck(ctx context.Context) result.Check {
	var problems, remarks, names []string
	var levels []mdraid.Level
	for _, v := range c.Plan.Variants {
		array := v.Array()
		if array == nil {
			continue
		}
		level, known := mdraid.Of(array.Level)
		switch {
		case !known:
			problems = appendNew(problems, human.Sentence(fmt.Sprintf("this runner does not know md arrays of level %s",
				array.Level)))
		case !slices.Contains(names, string(level.Name)):
			names, levels = append(names, string(level.Name)), append(levels, level)
		}
	}
	version, err := c.Baselines.FindArrays(ctx, levels)
	c.ArrayTool = version
	if err != nil {
		problems = append(problems, human.Sentence(fmt.Sprintf("md arrays cannot be used: %v", err)))
	}
	if slices.ContainsFunc(levels, mdraid.Level.HasParity) {
		problem, remark := c.parityDiscards()
		problems, remarks = append(problems, problem...), append(remarks, remark...)
	}
	return verdict(checkArrays, problems, remarks, fmt.Sprintf("the node has %s %s, and its kernel %s", mdraid.Tool,
		version, strings.Join(names, ", ")))
}

// parityDiscards requires, if a workload trims, a kernel that passes trims on to the devices of arrays with parity. The
// kernel decides that when an array is made, so the parameter can still be changed before a trial.
func (c *Checks) parityDiscards() (problems, remarks []string) {
	i := slices.IndexFunc(c.Plan.Workloads, trims)
	if i < 0 {
		return nil, nil
	}
	const parameter = hostfs.DiscardParameter
	workload := c.Plan.Workloads[i].Name
	switch value, err := c.Baselines.ParityDiscards(); {
	case err != nil:
		return []string{human.Sentence(fmt.Sprintf("workload %s trims an md array with parity, and it is not known "+
			"whether the array passes trims on: %v", workload, err))}, nil
	case value == "":
		return nil, []string{fmt.Sprintf("Workload %s trims an md array with parity, which fails unless %s is Y, and "+
			"its value is not known before the module is loaded: if the devices read as zeros after a "+
			"discard, load it with modprobe %s", workload, parameter, strings.Replace(parameter, ".", " ", 1)+"=Y.")}
	case value != "Y":
		return []string{fmt.Sprintf("Workload %s trims an md array with parity, and the kernel's parameter %s is %s, "+
			"so the array does not pass trims on to its devices: if they read as zeros after a discard, "+
			"write Y to /sys/module/%s, else leave the workload out.", workload, parameter, value,
			strings.Replace(parameter, ".", "/parameters/", 1))}, nil
	}
	return nil, nil
}

// trims says whether a workload discards free space.
func trims(w v1alpha1.Workload) bool { return w.OnPool() != nil && w.OnPool().Trim != nil }

func isOnArray(v plan.Variant) bool { return v.Array() != nil }
