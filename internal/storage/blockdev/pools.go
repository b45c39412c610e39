// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

// checkPools requires a disk that OpenZFS does not list in any pool: imported, exported or destroyed, as data, log,
// cache or spare device.
func (g *Guard) checkPools(_ context.Context, look *hostState, disk *Disk) error {
	devices, err := look.pools()
	if err != nil {
		return err
	}
	for _, device := range devices {
		// Other paths are files. They are not accessed, because on a dead network filesystem that would never end.
		if strings.HasPrefix(device.Path, "/dev/") && g.refersTo(look, device.Path, disk) {
			return fmt.Errorf("%s names it as %s", device.Pool, device.Path)
		}
	}
	return nil
}

// partitionSuffix matches the end of a partition's name, of the kernel and below /dev/disk.
func partitionSuffix() *regexp.Regexp { return regexp.MustCompile(`(-part[0-9]+|p?[0-9]+)$`) }

// refersTo says whether a path from elsewhere means the disk or anything on it. It compares the device behind the path
// and, because that may be gone, the name with and without a partition's suffix.
func (g *Guard) refersTo(look *hostState, path string, disk *Disk) bool {
	for _, candidate := range []string{path, partitionSuffix().ReplaceAllString(path, "")} {
		if candidate == disk.Path || candidate == disk.Device {
			return true
		}
		if number, err := g.node.Number(g.node.path(candidate)); err == nil && look.tree.restsOn(number, disk.Number) {
			return true
		}
	}
	return false
}
