// SPDX-License-Identifier: Apache-2.0

package mdraid

import (
	"fmt"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
)

// Layout translates the number that the kernel shows for an array's layout into mdadm's word; empty if the level has no
// layouts, or the number is unknown.
func Layout(level string, number int) string {
	switch v1alpha1.MDLevel(level) {
	case v1alpha1.MDRaid5, v1alpha1.MDRaid6:
		names := []string{"left-asymmetric", "right-asymmetric", "left-symmetric", "right-symmetric"}
		if number >= 0 && number < len(names) {
			return names[number]
		}
	case v1alpha1.MDRaid10:
		return raid10Layout(number)
	}
	return ""
}

// raid10Layout reads the kernel's encoding (drivers/md/raid10.c): copies that are near in the lowest byte, far in the
// next, and a bit for far ones that are offset.
func raid10Layout(number int) string {
	near, far, offset := number&0xff, number>>8&0xff, number&(1<<16) != 0
	if number < 0 || number >= 1<<17 || near == 0 || far == 0 {
		return ""
	}
	var words []string
	if near > 1 || far == 1 {
		words = append(words, fmt.Sprintf("near=%d", near))
	}
	switch {
	case far > 1 && offset:
		words = append(words, fmt.Sprintf("offset=%d", far))
	case far > 1:
		words = append(words, fmt.Sprintf("far=%d", far))
	}
	return strings.Join(words, ", ")
}
