// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"slices"

	"zfsbench.io/operator/internal/plan"
)

// fileVdevs finds pools on files: below them are the page cache and the filesystem of the node.
func fileVdevs(s subject) string {
	used := plan.PoolDevices(s.variant.Pool)
	for _, d := range s.plan.Devices {
		if d.FileSizeBytes > 0 && slices.Contains(used, d.Name) {
			return "The pool is on files: the numbers are those of the node's page cache and filesystem as well."
		}
	}
	return ""
}
