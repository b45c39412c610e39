// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"fmt"
	"strings"
)

// checkPartitions requires a disk on which the kernel sees no partition.
func (g *Guard) checkPartitions(_ context.Context, look *hostState, disk *Disk) error {
	if partitions := look.tree.partitions(look.tree[disk.Number].Name); len(partitions) > 0 {
		return fmt.Errorf("it has partitions: %s", names(partitions))
	}
	return nil
}

// names lists block devices for messages.
func names(blocks []block) string {
	var all []string
	for _, b := range blocks {
		all = append(all, b.Name)
	}
	return strings.Join(all, ", ")
}

// checkHolders requires a disk of which no md array, mapping (LVM, LUKS, multipath), cache or replica is made. It also
// finds anything else that sysfs shows on top of the disk.
func (g *Guard) checkHolders(_ context.Context, look *hostState, disk *Disk) error {
	found := look.tree[disk.Number]
	users := append(append([]string{}, found.Holders...), found.Slaves...)
	for _, other := range look.tree {
		// checkBacking names loop devices.
		if other.Number != disk.Number && other.Disk == "" && other.Backing == (Number{}) &&
			look.tree.restsOn(other.Number, disk.Number) {
			users = append(users, other.Name)
		}
	}
	if len(users) > 0 {
		return fmt.Errorf("it is part of %s", strings.Join(unique(users), ", "))
	}
	return nil
}
