// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/runner/journal"
	"zfsbench.io/operator/internal/runner/workspace"
)

// host is what every kind of storage works with: the node and the outside, the plan, and the records. It does not know
// in which order the engine runs trials.
type host struct {
	Deps
	plan   plan.Plan
	digest string
	ws     workspace.Workspace
	// newGUID makes the identities of partition tables.
	newGUID  func() string
	timings  timings
	journal  *journal.Journal
	progress *reporter
	// mounted is the block device of the baseline that this runner has mounted last, as the kernel names it.
	mounted string
	// held is the claimed volume that is in use.
	held *holding
	// userland is the version of OpenZFS's tools, arrayTool the version of mdadm, as the preflight found them.
	userland, arrayTool string
}
