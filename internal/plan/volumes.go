// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"path"
	"strings"
)

// MaxVolumes is how many PersistentVolumes with a path a node may have for a plan with disks: the plan has a bounded
// size.
const MaxVolumes = 1000

// Volume is a PersistentVolume that names a path on the node. The runner refuses a disk that it leads to.
type Volume struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// checkVolumes requires paths that the runner can look up, and allows volumes only in plans with disks.
func checkVolumes(p Plan) error {
	if len(p.Volumes) > MaxVolumes {
		return fmt.Errorf("volumes has %d entries, at most %d are possible", len(p.Volumes), MaxVolumes)
	}
	for _, v := range p.Volumes {
		if v.Name == "" || !path.IsAbs(v.Path) || strings.ContainsRune(v.Path, 0) {
			return fmt.Errorf("volume %q: %q is not an absolute path", v.Name, v.Path)
		}
	}
	return nil
}

// HasDisks says whether the plan uses a disk.
func (p Plan) HasDisks() bool {
	for _, d := range p.Devices {
		if d.Path != "" {
			return true
		}
	}
	return false
}
