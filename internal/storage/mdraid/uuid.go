// SPDX-License-Identifier: Apache-2.0

package mdraid

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// UUID is the UUID of an array. mdadm writes it as aaaaaaaa:bbbbbbbb:cccccccc:dddddddd, and blkid and wipefs the same
// bytes as aaaaaaaa-bbbb-bbbb-cccc-ccccdddddddd.
type UUID [16]byte

// ParseUUID reads either form, in either case. A UUID of zeros is invalid.
func ParseUUID(text string) (UUID, error) {
	var u UUID
	for separator, want := range map[string][]int{":": {8, 8, 8, 8}, "-": {8, 4, 4, 4, 12}} {
		groups := strings.Split(text, separator)
		if !hasLengths(groups, want) {
			continue
		}
		raw, err := hex.DecodeString(strings.Join(groups, ""))
		if err == nil && copy(u[:], raw) == len(u) && u != (UUID{}) {
			return u, nil
		}
	}
	return UUID{}, fmt.Errorf("%q is not the UUID of an md array", text)
}

func hasLengths(groups []string, want []int) bool {
	if len(groups) != len(want) {
		return false
	}
	for i, g := range groups {
		if len(g) != want[i] {
			return false
		}
	}
	return true
}

// String is mdadm's form.
func (u UUID) String() string { return fmt.Sprintf("%x:%x:%x:%x", u[:4], u[4:8], u[8:12], u[12:]) }
