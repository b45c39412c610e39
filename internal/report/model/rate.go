// SPDX-License-Identifier: Apache-2.0

package model

// Median is the median rate.
func (m Measurement) Median() float64 {
	if m.MovesBytes() {
		return m.BandwidthBytesPerSecond
	}
	return m.IOPS
}

// MovesBytes says whether the operation reads or writes data. Otherwise its rate is in operations per second.
func (m Measurement) MovesBytes() bool { return m.BandwidthBytesPerSecond > 0 }
