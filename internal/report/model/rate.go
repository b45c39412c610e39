// SPDX-License-Identifier: Apache-2.0

package model

// Median is the median rate.
func (m Measurement) Median() float64 {
	if m.MovesBytes() {
		return m.BandwidthBytesPerSecond
	}
	return m.IOPS
}

// MovesBytes says whether the operation reads or writes data. One that does not is measured in operations a second.
func (m Measurement) MovesBytes() bool { return m.BandwidthBytesPerSecond > 0 }
