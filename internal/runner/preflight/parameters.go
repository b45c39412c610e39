// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"fmt"
	"strings"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/text/human"
)

// parametersCheck requires that every parameter that a variant sets exists and is writable, and that no pool is
// imported, which it would affect as well. It writes nothing.
func (c *Checks) parametersCheck(ctx context.Context, node NodeState) result.Check {
	if node.Check.Outcome == result.OutcomeFailed {
		return check(checkParameters, result.OutcomeSkipped, "Not checked, because OpenZFS cannot be used.")
	}
	names := plan.ModuleParameters(c.Plan.Variants)
	var problems []string
	for _, name := range names {
		if err := c.Parameters.Check(name); err != nil {
			problems = append(problems, human.Sentence(err.Error()))
		}
	}
	if err := RefuseForeignPools(ctx, c.Pools); err != nil {
		problems = append(problems, human.Sentence(err.Error()))
	}
	return verdict(checkParameters, problems, nil, fmt.Sprintf("the node lets %s be set, and no pool is imported",
		strings.Join(names, ", ")))
}

// RefuseForeignPools returns nil if no pool is imported. Call it only while the benchmark has no pool.
func RefuseForeignPools(ctx context.Context, from Pools) error {
	pools, err := from.Pools(ctx)
	if err != nil || len(pools) == 0 {
		return err
	}
	var names []string
	for _, p := range pools {
		names = append(names, p.Name)
	}
	return fmt.Errorf("module parameters apply to all pools of the node, and other pools are imported: %s; export "+
		"them, or leave moduleParameters out", strings.Join(names, ", "))
}
