// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"slices"
	"strings"

	"zfsbench.io/operator/internal/result"
)

// claimsCheck requires a manager that makes volumes. The manager has checked the CSI driver before it let the benchmark
// start.
func (c *Checks) claimsCheck() result.Check {
	if !c.HasClaims {
		return check(checkClaims, result.OutcomeFailed,
			"persistent volumes need Kubernetes: apply the benchmark to a cluster")
	}
	var variants []string
	for _, v := range c.Plan.Variants {
		if v.Claims() {
			variants = append(variants, v.Name)
		}
	}
	slices.Sort(variants)
	return check(checkClaims, result.OutcomePassed, "the manager claims the volumes of %s", strings.Join(variants, ", "))
}
