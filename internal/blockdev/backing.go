// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// configfs is the host's: a container's own /sys has none. The kernel's storage targets are configured there, and no process has their devices open.
const configfs = "/proc/1/root/sys/kernel/config"

// backing is a block device that a kernel service serves to others.
type backing struct {
	// User says who, in words.
	User string
	Path string
}

// readBackings finds the devices of LIO and NVMe targets. Loop devices are in the tree.
func (n node) readBackings() ([]backing, error) {
	patterns := map[string]string{
		"the LIO target":  configfs + "/target/core/*/*/udev_path",
		"the NVMe target": configfs + "/nvmet/subsystems/*/namespaces/*/device_path",
	}
	// Glob reports no failures to read: without this, a directory nobody may look into would be an empty one.
	if _, err := os.Stat(n.path("/proc/1/root/sys")); err != nil {
		return nil, fmt.Errorf("the host's /sys: %w", err)
	}
	var found []backing
	for user, pattern := range patterns {
		files, err := filepath.Glob(n.path(pattern))
		if err != nil {
			return nil, fmt.Errorf("devices of %s: %w", user, err)
		}
		for _, file := range files {
			content, err := readBounded(file)
			if missing(err) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("devices of %s: %w", user, err)
			}
			if path := strings.TrimSpace(content); strings.HasPrefix(path, "/") {
				found = append(found, backing{User: user, Path: path})
			}
		}
	}
	return found, nil
}

// checkBacking wants a disk that no loop device and no storage target is made of.
func (g *Guard) checkBacking(_ context.Context, look *surroundings, disk *Disk) error {
	backings := look.backings
	for _, b := range look.tree {
		if b.BackingFile != "" {
			backings = append(backings, backing{User: "/dev/" + b.Name, Path: b.BackingFile})
		}
	}
	for _, b := range backings {
		if g.means(look, b.Path, disk) {
			return fmt.Errorf("%s is made of it", b.User)
		}
	}
	return nil
}
