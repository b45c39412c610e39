// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
)

// PoolDevices are the names of all devices of a pool, in the order in which the spec names them.
func PoolDevices(pool v1alpha1.PoolSpec) []string {
	var names []string
	for _, vdev := range slices.Concat(pool.Vdevs, pool.Log, pool.Cache, pool.Special, pool.Dedup) {
		names = append(names, vdev.Devices...)
	}
	return append(names, pool.Spares...)
}
