// SPDX-License-Identifier: Apache-2.0

package human

import (
	"fmt"
	"strings"
)

// Plural is a number of things, for example "1 directory" or "2 directories".
func Plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if stem, ok := strings.CutSuffix(thing, "y"); ok {
		thing = stem + "ie"
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
