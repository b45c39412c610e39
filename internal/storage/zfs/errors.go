// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"errors"
	"fmt"
)

// ErrModuleNotLoaded means that the running kernel has no zfs module.
var ErrModuleNotLoaded = errors.New("the zfs kernel module is not loaded")

// NameError is a name that this package does not pass to a command.
type NameError struct{ Name, Kind string }

func (e *NameError) Error() string { return fmt.Sprintf("%q is not a valid %s name", e.Name, e.Kind) }

// PropertyError is a property that a caller may not set, because this package sets it or because its name is malformed.
type PropertyError struct{ Name, Cause string }

func (e *PropertyError) Error() string { return fmt.Sprintf("property %q %s", e.Name, e.Cause) }

// SuspendedError is a pool that has lost its devices or its space. Every command that writes to it would block in the
// kernel until they come back.
type SuspendedError struct{ Pool string }

func (e *SuspendedError) Error() string {
	return fmt.Sprintf("pool %s is suspended: its devices no longer answer; if they do not come back, the node needs a "+
		"reboot", e.Pool)
}

// NoPoolError is a pool that is not imported.
type NoPoolError struct{ Pool string }

func (e *NoPoolError) Error() string { return fmt.Sprintf("pool %s is not imported", e.Pool) }

// WrongPoolError is an imported or importable pool that has the expected name or the expected GUID, but not both.
type WrongPoolError struct{ Name, GUID, GotName, GotGUID string }

func (e *WrongPoolError) Error() string {
	return fmt.Sprintf("expected pool %s with GUID %s, found pool %s with GUID %s", e.Name, e.GUID, e.GotName, e.GotGUID)
}

// NotImportableError is a pool that none of the searched devices contains.
type NotImportableError struct{ Name, GUID string }

func (e *NotImportableError) Error() string {
	return fmt.Sprintf("pool %s with GUID %s is on none of the devices searched", e.Name, e.GUID)
}

// ParseError says that a tool's output does not have the expected form.
type ParseError struct{ What, Line string }

func (e *ParseError) Error() string {
	return fmt.Sprintf("cannot read %s: unexpected %.200q", e.What, e.Line)
}

// LabelError is a device whose labels zdb could not read. It may or may not have labels.
type LabelError struct{ Device, Output string }

func (e *LabelError) Error() string {
	return fmt.Sprintf("labels of %s cannot be read: %.300q", e.Device, e.Output)
}
