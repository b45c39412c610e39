// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	// perClaim is the time to make and remove a volume; perMount the time for its pod to end and start again, as before
	// every workload with a cold cache. The driver looks for pools once a minute.
	perClaim = 2 * time.Minute
	perMount = 30 * time.Second
	// graceClaim is the time to remove the pod and its volume.
	graceClaim = 90 * time.Second
)

// PoolName is unique to a benchmark and a trial, as long as the first eight digits of UIDs differ. The name does not
// prove ownership: comment, owner and GUID do.
func PoolName(benchmarkUID string, trial int) string {
	digits := strings.ReplaceAll(benchmarkUID, "-", "")
	return fmt.Sprintf("zfsbench-%s-%d", digits[:min(8, len(digits))], trial)
}

// BenchDataset is the name, below the pool, of the dataset that workloads run on, or in which the driver makes its
// volumes.
const BenchDataset = "bench"

// Claims says whether the variant's workloads run on a volume that is claimed from Kubernetes.
func (v Variant) Claims() bool {
	if v.Baseline != nil {
		return v.Baseline.Claims()
	}
	return v.Dataset.Claims()
}

// Claims says whether the workloads of any variant run on a claimed volume.
func (p Plan) Claims() bool { return slices.ContainsFunc(p.Variants, Variant.Claims) }

// claiming is how long a trial has to wait for volumes and pods; of several variants the most.
func claiming(p Plan) time.Duration {
	if !p.Claims() {
		return 0
	}
	return perClaim + time.Duration(len(p.Workloads))*perMount
}
