// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
)

// refuseVolumes returns a refusal if a PersistentVolume that may be on the node names one of the benchmark's disks
// there, or nil. It compares only the disks' paths; the runner finds other names.
func (s *scope) refuseVolumes(node string, disks []string) *refusal {
	refuse := func(format string, args ...any) *refusal {
		s.requeueWithin(volumePollInterval)
		return &refusal{reason: v1alpha1.ReasonDiskIsVolume, message: fmt.Sprintf(format, args...)}
	}
	volumes := s.volumes[node]
	for _, disk := range disks {
		handles := s.handlesOf([]string{disk})
		for _, v := range volumes {
			if by := v.meaning(disk, handles); by != "" {
				return refuse("Disk %s of node %s is PersistentVolume %s (%s), which Kubernetes may give to a pod: "+
					"delete that PersistentVolume if nobody needs it, or use another disk.", disk, node, v.name, by)
			}
		}
	}
	if n := len(s.volumesOn(node)); n > plan.MaxVolumes {
		return refuse("%d PersistentVolumes may be on node %s, too many to compare its disks with: the limit is %d.",
			n, node, plan.MaxVolumes)
	}
	return nil
}

// meaning is how a volume names a disk; empty if it does not.
func (v volumeNames) meaning(disk string, handles []string) string {
	partition := regexp.MustCompile(`-part[0-9]+$`)
	for _, named := range v.paths {
		if partition.ReplaceAllString(path.Clean(named), "") == disk {
			return named
		}
	}
	for _, handle := range v.handles {
		if slices.Contains(handles, handle) {
			return "handle " + handle
		}
	}
	return ""
}

// volumesOn are the paths that the runner on a node compares its disks with.
func (s *scope) volumesOn(node string) []plan.Volume { return pathsOf(s.volumes[node]) }

// pathsOf are the paths that volumes name, in a fixed order.
func pathsOf(volumes []volumeNames) []plan.Volume {
	var found []plan.Volume
	for _, v := range volumes {
		for _, named := range v.paths {
			if path.IsAbs(named) && !strings.ContainsRune(named, 0) {
				found = append(found, plan.Volume{Name: v.name, Path: named})
			}
		}
	}
	slices.SortFunc(found, func(a, b plan.Volume) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Path, b.Path))
	})
	return slices.Compact(found)
}
