// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// Volume is a PersistentVolume that names a path of this node: Kubernetes may give that path to a pod.
type Volume struct{ Name, Path string }

// checkVolumes requires that no PersistentVolume names the disk or a part of it, by any name. A path that does not
// exist on this node is not on its disks.
func (g *Guard) checkVolumes(_ context.Context, look *hostState, disk *Disk) error {
	for _, v := range g.volumes {
		if strings.HasPrefix(v.Path, "/dev/") && g.refersTo(look, v.Path, disk) {
			return isVolume(v)
		}
		number, err := g.node.onHost(v.Path)
		switch {
		case errors.Is(err, errNotBlock), errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		case err != nil:
			return fmt.Errorf("PersistentVolume %s names %s, which cannot be looked at and may be it: %w", v.Name, v.Path, err)
		case look.tree.restsOn(number, disk.Number):
			return isVolume(v)
		}
	}
	return nil
}

func isVolume(v Volume) error {
	return fmt.Errorf("PersistentVolume %s names it, as %s, so Kubernetes may give it to a pod: "+
		"delete that PersistentVolume if nobody needs it", v.Name, v.Path)
}
