// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// guid is a GUID in the byte order of a partition table: the first three groups are little-endian.
type guid [16]byte

// parseGUID reads the canonical form, in either case: 8-4-4-4-12 hexadecimal digits.
func parseGUID(text string) (guid, error) {
	var g guid
	groups := strings.Split(text, "-")
	raw, err := hex.DecodeString(strings.Join(groups, ""))
	if err != nil || len(raw) != len(g) || len(groups) != 5 || len(groups[0]) != 8 || len(groups[1]) != 4 ||
		len(groups[2]) != 4 || len(groups[3]) != 4 {
		return guid{}, fmt.Errorf("%q is not a GUID", text)
	}
	for to, from := range []int{3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15} {
		g[to] = raw[from]
	}
	if g == (guid{}) {
		return guid{}, fmt.Errorf("%q is the empty GUID", text)
	}
	return g, nil
}

// String is the canonical form in lower case, as udev and the tools print it.
func (g guid) String() string {
	return fmt.Sprintf("%02x%02x%02x%02x-%02x%02x-%02x%02x-%x-%x",
		g[3], g[2], g[1], g[0], g[5], g[4], g[7], g[6], g[8:10], g[10:])
}
