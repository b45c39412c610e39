// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"fmt"
	"strings"
)

// systemPaths are the directories without which a node does not work.
func systemPaths() []string {
	return []string{
		"/", "/boot", "/boot/efi", "/efi", "/etc", "/usr", "/var", "/home", "/opt", "/var/log", "/var/lib/kubelet",
		"/var/lib/containerd", "/var/lib/etcd",
	}
}

// checkSystem requires a disk on which none of the host's own directories are. checkMounts also finds their mounts;
// this check has a better message and does not depend on which processes are visible.
func (g *Guard) checkSystem(_ context.Context, look *hostState, disk *Disk) error {
	for _, path := range systemPaths() {
		m, found := covering(look.hostMounts, path)
		if !found {
			return fmt.Errorf("nobody knows what %s is mounted from", path)
		}
		if g.mountRestsOn(look, m, disk.Number) {
			return fmt.Errorf("the node's %s is on it", path)
		}
	}
	return nil
}

// covering returns the mount that contains a path: the last one with the longest matching mount point.
func covering(mounts []mount, path string) (mount, bool) {
	var best mount
	found := false
	for _, m := range mounts {
		below := m.Point == "/" || m.Point == path || strings.HasPrefix(path, m.Point+"/")
		if below && len(m.Point) >= len(best.Point) {
			best, found = m, true
		}
	}
	return best, found
}
