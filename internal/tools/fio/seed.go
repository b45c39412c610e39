// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// Seed is the seed of fio's random generators for one run of fio. It is computed from the plan, so a plan can be
// repeated I/O by I/O. It differs between trials, between workloads, and between layout and measurement, so that no two
// of them write the same data (which deduplication would find) or visit blocks in the same order.
func Seed(planDigest string, trial int, workload string, layout bool) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d/%s/%t", planDigest, trial, workload, layout))
	return binary.BigEndian.Uint64(sum[:8])
}
