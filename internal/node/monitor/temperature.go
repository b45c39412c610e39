// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"path/filepath"
	"strconv"
)

// hottest is the highest temperature that any sensor of the kernel reports, or nil. Most virtual machines have no
// sensors, and a broken sensor must not fail a benchmark. Values are in thousandths of a degree:
// Documentation/hwmon/sysfs-interface.rst of Linux.
func (n Kernel) hottest() *float64 {
	inputs, err := filepath.Glob(n.sys("class", "hwmon", "hwmon*", "temp*_input"))
	if err != nil {
		return nil
	}
	var most *float64
	for _, input := range inputs {
		text, err := n.line(input)
		if err != nil {
			continue
		}
		const limit = 1000 // a sensor that is not connected reports nonsense
		thousandths, err := strconv.ParseInt(text, 10, 32)
		if degrees := float64(thousandths) / 1000; err == nil && degrees < limit && (most == nil || degrees > *most) {
			most = &degrees
		}
	}
	return most
}
