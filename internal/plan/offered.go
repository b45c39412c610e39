// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"fmt"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
)

// StateOf compares a device of a policy with the disks that were found on its node. The message may have foreign text.
func StateOf(d v1alpha1.PolicyDevice, found v1alpha1.NodeInventory) v1alpha1.PolicyDeviceStatus {
	say := func(state v1alpha1.PolicyDeviceState, format string, args ...any) v1alpha1.PolicyDeviceStatus {
		return v1alpha1.PolicyDeviceStatus{Path: d.Path, State: state, Message: fmt.Sprintf(format, args...)}
	}
	i := slices.IndexFunc(found.Disks, func(disk v1alpha1.NodeDisk) bool { return disk.HasPath(d.Path) })
	if i < 0 {
		return say(v1alpha1.PolicyDeviceMissing, "%s", missingDevice(d, found))
	}
	disk := found.Disks[i]
	switch {
	case disk.Serial != d.Serial:
		return say(v1alpha1.PolicyDeviceMismatch, "The serial number is %q, the policy says %q.", disk.Serial, d.Serial)
	case d.Size.CmpInt64(disk.SizeBytes) != 0:
		return say(v1alpha1.PolicyDeviceMismatch, "The size is %d bytes, the policy says %s.", disk.SizeBytes,
			d.Size.String())
	case disk.UnsignedData && d.UnsignedData == v1alpha1.UnsignedDataOverwrite:
		return say(v1alpha1.PolicyDeviceVerified, "It holds data without a signature, which the policy lets benchmarks "+
			"overwrite.")
	case disk.Verdict == v1alpha1.DiskInUse:
		return say(v1alpha1.PolicyDeviceInUse, "%s", disk.Reason)
	case disk.Verdict != v1alpha1.DiskBlank:
		return say(v1alpha1.PolicyDeviceRefused, "%s", disk.Reason)
	}
	return say(v1alpha1.PolicyDeviceVerified, "")
}

// missingDevice says what is known about a device whose path no listed disk has.
func missingDevice(d v1alpha1.PolicyDevice, found v1alpha1.NodeInventory) string {
	i := slices.IndexFunc(found.Disks, func(disk v1alpha1.NodeDisk) bool { return disk.Serial == d.Serial })
	switch {
	case i >= 0:
		return fmt.Sprintf("The node has no such path; the disk with this serial number is %s.",
			cmp.Or(found.Disks[i].Path, found.Disks[i].Device))
	case found.OmittedDisks > 0:
		return fmt.Sprintf("The NodeStorage lists no such path and no disk with this serial number, but it has no room for "+
			"%d more disks of the node; this may be one of them.", found.OmittedDisks)
	}
	return "The node has no such path, and no disk with this serial number."
}
