// SPDX-License-Identifier: Apache-2.0

package model

// Median is the median rate.
func (m Measurement) Median() float64 {
	if m.MovesBytes() {
		return m.BandwidthBytesPerSecond
	}
	return m.IOPS
}

func (m Measurement) MovesBytes() bool { return m.BandwidthBytesPerSecond > 0 }
