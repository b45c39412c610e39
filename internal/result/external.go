// SPDX-License-Identifier: Apache-2.0

package result

import "reflect"

// CheckBounds says what in a document of another package is beyond anything real, or nil: a text that is too long or
// does not print, a number that is negative, not finite or too large, a list that is too long. v is a pointer to the
// document; `bound` tags apply.
func CheckBounds(v any) error { return walker{}.walk("", reflect.ValueOf(v), bound{}) }
