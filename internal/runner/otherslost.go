// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"path/filepath"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/ownership"
)

// keepRecord leaves what another benchmark owns as it is, since disks of it are missing: only the module parameters go
// back, which are the node's. It is an error if this benchmark wants a disk of the other one's. Else the record stays
// in the journal, the report says so, and this benchmark goes on.
func (e *Engine) keepRecord(other *Engine, own result.Ownership, missing []result.OwnedDevice) error {
	if err := other.parameters().Restore(own); err != nil {
		return err
	}
	if len(own.ModuleParameters) > 0 {
		own.ModuleParameters = nil // the next one must not set them once more
		if err := other.journal.RecordOwned(own); err != nil {
			return err
		}
	}
	d := missing[0]
	text := fmt.Sprintf("no disk of the node has the serial number %s of device %s of benchmark %s, so nobody can say "+
		"what is left on it (missing: %s): plug it in again, or, if it never comes back, run a benchmark on this node that "+
		"an administrator has given the annotation %s=%s, with all such disks separated by commas",
		d.Serial, d.Name, other.ws.UID, ownership.Names(missing), v1alpha1.AnnotationForgetDevices, d.Serial)
	if mine := e.usesDiskOf(own); mine != "" {
		return fmt.Errorf("device %s is a disk of that benchmark, and %s", mine, text)
	}
	text += fmt.Sprintf("; until then %s stays recorded in %s, and this benchmark goes on without these disks",
		e.host.Describe(own), other.ws.Root())
	e.Log.Warn(text)
	e.gone = append(e.gone, text)
	return nil
}

// usesDiskOf is the name of a device of this benchmark that is a recorded disk; empty if none is.
func (e *Engine) usesDiskOf(own result.Ownership) string {
	for _, mine := range e.plan.Devices {
		if slices.ContainsFunc(own.Devices, func(d result.OwnedDevice) bool { return d.Gone == "" && sameDisk(mine, d) }) {
			return mine.Name
		}
	}
	return ""
}

// sameDisk says whether a planned disk may be the recorded one: by path, serial number or world-wide name.
func sameDisk(mine plan.Device, recorded result.OwnedDevice) bool {
	if mine.Path == "" || recorded.Path == "" {
		return false
	}
	name := plan.WorldWideName(mine.Path)
	return filepath.Clean(mine.Path) == filepath.Clean(recorded.Path) ||
		mine.Serial != "" && mine.Serial == recorded.Serial ||
		name != "" && name == plan.WorldWideName(recorded.Path)
}

// recordGoneOf keeps for the report which disks of another benchmark are left alone.
func (e *Engine) recordGoneOf(uid string, own result.Ownership) {
	for _, d := range own.Devices {
		if d.Gone != "" {
			e.gone = append(e.gone, fmt.Sprintf("device %s of benchmark %s is not that benchmark's any more, is left alone, "+
				"and is no longer recorded: %s", d.Name, uid, d.Gone))
		}
	}
}
