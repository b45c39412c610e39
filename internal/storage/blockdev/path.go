// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// checkPath finds the block device at the path, and makes sure that kernel, path and sysfs agree on which device that
// is.
func (g *Guard) checkPath(_ context.Context, look *hostState, disk *Disk) error {
	if filepath.Clean(disk.Path) != disk.Path || !strings.HasPrefix(disk.Path, "/dev/") {
		return errors.New("the path is not below /dev")
	}
	resolved, err := g.node.resolve(disk.Path)
	if err != nil {
		return fmt.Errorf("the path leads nowhere: %w", err)
	}
	if filepath.Dir(resolved) != "/dev" {
		return fmt.Errorf("the path leads to %s, which the kernel did not name", resolved)
	}
	number, err := g.node.Number(g.node.path(resolved))
	if err != nil {
		return fmt.Errorf("%s: %w", resolved, err)
	}
	found, known := look.tree[number]
	if !known {
		return fmt.Errorf("the kernel knows no block device %s", number)
	}
	if found.Name != filepath.Base(resolved) {
		return fmt.Errorf("%s has the number %s, which the kernel calls %s", resolved, number, found.Name)
	}
	disk.Device, disk.Number = resolved, number
	disk.Model, disk.Firmware = found.Model, g.node.firmware(found.Name)
	return nil
}
