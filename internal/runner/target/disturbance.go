// SPDX-License-Identifier: Apache-2.0

package target

import (
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/runner/ownership"
	"zfsbench.io/operator/internal/storage/zfs"
)

// The states of pools and vdevs that matter here.
const (
	stateOnline   = "ONLINE"
	stateDegraded = "DEGRADED"
	stateOffline  = "OFFLINE"
)

// disturbance is what excludes a measurement on a pool; empty if nothing does. offline are the paths of the devices
// that the scenario has taken offline: they must be offline, and only the vdevs that contain them may be degraded. The
// pool's error counters begin at 0 when it is created or imported.
func disturbance(s zfs.Status, offline []string) (reason, problem string) {
	want := stateOnline
	if len(offline) > 0 {
		want = stateDegraded
	}
	if s.State != want {
		return v1alpha1.ReasonPoolNotOnline, "the pool is " + s.State
	}
	missing := slices.Clone(offline)
	for _, v := range s.Vdevs {
		i := slices.IndexFunc(missing, func(path string) bool { return ownership.SamePath(path, v.Name) })
		switch {
		case i >= 0 && v.State == stateOffline:
			missing = slices.Delete(missing, i, i+1)
		case i >= 0:
			return v1alpha1.ReasonPoolNotOnline, fmt.Sprintf("%s is %s, it should be offline", v.Name, v.State)
		case v.State == stateOnline || v.State == stateDegraded && len(offline) > 0 && !isDevice(v):
			// If another device had degraded this vdev, that device would be in the list itself and fail the check.
		default:
			return v1alpha1.ReasonPoolNotOnline, fmt.Sprintf("%s is %s", v.Name, v.State)
		}
	}
	if len(missing) > 0 {
		return v1alpha1.ReasonPoolNotOnline, fmt.Sprintf("%s should be offline, and the pool does not have it", missing[0])
	}
	if len(s.Active) > 0 {
		return v1alpha1.ReasonPoolBusy, "OpenZFS was working on the pool in the background: " +
			strings.Join(s.Active, ", ")
	}
	for _, v := range s.Vdevs {
		if max(v.ReadErrors, v.WriteErrors, v.ChecksumErrors) > 0 {
			return v1alpha1.ReasonVdevErrors, fmt.Sprintf("%s has counted %d read, %d write and %d checksum errors", v.Name,
				v.ReadErrors, v.WriteErrors, v.ChecksumErrors)
		}
	}
	return "", ""
}

// isDevice is false for the pool and for vdevs that consist of devices.
func isDevice(v zfs.VdevStatus) bool { return strings.HasPrefix(v.Name, "/") }
