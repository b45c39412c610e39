// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// OwnerProperty is the user property on a pool's root dataset whose value is the UID of the benchmark that made the
// pool.
const OwnerProperty = "io.zfsbench:owner"

// assignments returns flag and NAME=VALUE for each property, sorted by name. The names in reserved belong to this
// package. Validation decides which others a user may set; this is a second check.
func assignments(flag string, properties map[string]string, reserved ...string) ([]string, error) {
	wellFormed := regexp.MustCompile(`^[a-z0-9][a-z0-9@:._+-]*$`)
	var argv []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !wellFormed.MatchString(name) {
			return nil, &PropertyError{Name: name, Cause: "is not a valid property name"}
		}
		if slices.Contains(reserved, name) {
			return nil, &PropertyError{Name: name, Cause: "may only be set by the runner"}
		}
		if strings.ContainsAny(properties[name], "\x00\n") {
			return nil, &PropertyError{Name: name, Cause: "has a value with a control character"}
		}
		argv = append(argv, flag, name+"="+properties[name])
	}
	return argv, nil
}

// reservedPool are pool properties that decide where a pool is visible, how it fails, or who owns it.
func reservedPool() []string {
	return []string{"altroot", "ashift", "bootfs", "cachefile", "comment", "compatibility", "failmode", "guid",
		"multihost", "readonly", "version"}
}

// reservedDataset are dataset properties that mount, share, hide or lock.
func reservedDataset() []string {
	return []string{
		"canmount", "keyformat", "keylocation", "mountpoint", "overlay", "readonly", "sharenfs", "sharesmb", "volmode",
		"volsize", "zoned",
		OwnerProperty,
	}
}
