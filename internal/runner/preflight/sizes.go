// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"fmt"
	"strings"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/text/human"
)

// sizesCheck shows relative sizes in bytes for this node, and requires room for each workload's.
func (c *Checks) sizesCheck(node NodeState) result.Check {
	if node.Memory == nil {
		return check(checkSizes, result.OutcomeFailed,
			"it is not known how much memory the node has and how much of it the ARC may take")
	}
	var problems, sizes []string
	for _, v := range c.Plan.Variants {
		room := plan.RoomOf(c.Plan, v)
		for _, w := range c.Expanded.WorkloadsOn(v) {
			if w.Fio == nil || w.Fio.RelativeSize == "" {
				continue
			}
			bytes := w.Fio.Size.Value() * int64(max(1, w.Fio.NumJobs))
			text := fmt.Sprintf("%s of workload %s is %s", w.Fio.RelativeSize, w.Name, human.Bytes(float64(bytes)))
			if bytes > room {
				problems = appendNew(problems, fmt.Sprintf("%s, and there is room for %s%s: it needs larger devices, or a "+
					"smaller relativeSize.", text, human.Bytes(float64(room)), c.ofVariant(v)))
			}
			sizes = appendNew(sizes, text)
		}
	}
	return verdict(checkSizes, problems, nil, strings.Join(sizes, "; "))
}
