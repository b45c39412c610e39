// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/storage/blockdev"
)

// Wants are the disks among devices, in the form that the guard needs.
func Wants(devices []plan.Device) []blockdev.Want {
	var disks []blockdev.Want
	for _, d := range devices {
		if d.Path != "" {
			disks = append(disks, blockdev.Want{
				Name: d.Name, Path: d.Path, Serial: d.Serial, SizeBytes: d.SizeBytes, OverwriteUnsigned: d.OverwriteUnsigned,
				FullScan: d.FullScan,
			})
		}
	}
	return disks
}
