// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"fmt"
	"regexp"
)

// wholeDisk matches the kernel's names of whole disks. Everything else is refused: partitions, md, dm (LVM, LUKS,
// multipath), bcache, drbd, loop, zvols, nbd, rbd, RAM disks, boot partitions of eMMC, and everything unknown.
func wholeDisk() *regexp.Regexp {
	return regexp.MustCompile(`^(sd[a-z]+|vd[a-z]+|xvd[a-z]+|nvme[0-9]+n[0-9]+|mmcblk[0-9]+|pmem[0-9]+s?)$`)
}

// checkKind accepts whole disks that appear only once. Two whole disks with the same identity are two paths to one disk
// without a multipath map over them.
func (g *Guard) checkKind(_ context.Context, look *hostState, disk *Disk) error {
	found := look.tree[disk.Number]
	if found.Disk != "" {
		return fmt.Errorf("%s is a partition of %s; only whole disks are used", found.Name, found.Disk)
	}
	if !wholeDisk().MatchString(found.Name) {
		return fmt.Errorf("%s is not known to be a whole disk", found.Name)
	}
	for _, other := range look.tree {
		if other.Number != found.Number && other.Disk == "" && sameIdentity(found, other) {
			return fmt.Errorf("%s has the same identity: they may be two paths to one disk", other.Name)
		}
	}
	if found.SectorBytes < 512 || mebibyte%found.SectorBytes != 0 {
		return fmt.Errorf("its sectors have %d bytes", found.SectorBytes)
	}
	disk.SectorBytes, disk.WWID, disk.Sequence = found.SectorBytes, found.WWID, found.Sequence
	return nil
}

// sameIdentity compares world wide identifiers, or serial numbers if neither disk has one. Serial numbers alone are not
// enough: the namespaces of one NVMe controller share its serial number.
func sameIdentity(a, b block) bool {
	if a.WWID != "" || b.WWID != "" {
		return a.WWID == b.WWID
	}
	return a.Serial != "" && a.Serial == b.Serial
}
