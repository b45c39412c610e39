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

// keepRecord leaves what another benchmark owns as it is, because some of its disks are missing. It only restores the
// module parameters, which belong to the node. It is an error if this benchmark uses a disk of the other one. Otherwise
// the record stays in the journal, the report says so, and this benchmark continues.
func (e *Engine) keepRecord(other *Engine, own result.Ownership, missing []result.OwnedDevice) error {
	if err := other.parameters().Restore(own); err != nil {
		return err
	}
	if len(own.ModuleParameters) > 0 {
		own.ModuleParameters = nil // the next benchmark must not restore them a second time
		if err := other.journal.RecordOwned(own); err != nil {
			return err
		}
	}
	d := missing[0]
	text := fmt.Sprintf("no disk of the node has the serial number %s of device %s of benchmark %s, so it is not known "+
		"what is left on it (missing: %s): plug it in again, or, if it never comes back, run a benchmark on this node that "+
		"an administrator has given the annotation %s=%s, with all such disks separated by commas",
		d.Serial, d.Name, other.ws.UID, ownership.Names(missing), v1alpha1.AnnotationForgetDevices, d.Serial)
	if mine := e.usesDiskOf(own); mine != "" {
		return fmt.Errorf("device %s is a disk of that benchmark, and %s", mine, text)
	}
	text += fmt.Sprintf("; until then %s stays recorded in %s, and this benchmark continues, because it does not use "+
		"these disks",
		e.host.Describe(own), other.ws.Root())
	e.Log.Warn(text)
	e.gone = append(e.gone, text)
	return nil
}

// usesDiskOf is the name of a device of this benchmark that another benchmark's record lists; empty if there is none.
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

// recordGoneOf notes for the report which disks of another benchmark are left alone.
func (e *Engine) recordGoneOf(uid string, own result.Ownership) {
	for _, d := range own.Devices {
		if d.Gone != "" {
			e.gone = append(e.gone, fmt.Sprintf("device %s of benchmark %s is no longer that benchmark's, is left alone, "+
				"and is no longer recorded: %s", d.Name, uid, d.Gone))
		}
	}
}
