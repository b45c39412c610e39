// SPDX-License-Identifier: Apache-2.0

package human

import (
	"math"
	"strconv"
	"time"
)

// Bytes is a size with an IEC suffix, for example "64 MiB".
func Bytes(n float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	i := 0
	for n >= 999.5 && i < len(units)-1 {
		n /= 1024
		i++
	}
	return Digits(n) + " " + units[i]
}

// Rate is a bandwidth, for example "1.21 GiB/s".
func Rate(bytesPerSecond float64) string { return Bytes(bytesPerSecond) + "/s" }

// Count is a number without a unit, for example "950" or "18.4k".
func Count(n float64) string {
	suffixes := []string{"", "k", "M", "G"}
	i := 0
	for n >= 999.5 && i < len(suffixes)-1 {
		n /= 1000
		i++
	}
	return Digits(n) + suffixes[i]
}

// Latency is a duration in nanoseconds, for example "1.24 ms".
func Latency(nanoseconds float64) string {
	units := []string{"ns", "µs", "ms", "s"}
	i := 0
	for nanoseconds >= 999.5 && i < len(units)-1 {
		nanoseconds /= 1000
		i++
	}
	return Digits(nanoseconds) + " " + units[i]
}

// Duration is a time that somebody waits, for example "3m20s".
func Duration(d time.Duration) string { return d.Round(time.Second).String() }

// Percent is a fraction as a percentage, for example "2.5%" for 0.025.
func Percent(fraction float64) string { return Digits(100*fraction) + "%" }

// Digits rounds to three significant digits, without zeros at the end of a fraction.
func Digits(n float64) string {
	if n >= 999.5 || n == 0 {
		return strconv.FormatFloat(math.Round(n), 'f', -1, 64)
	}
	places := max(0, 2-int(math.Floor(math.Log10(n))))
	scale := math.Pow10(places)
	return strconv.FormatFloat(math.Round(n*scale)/scale, 'f', -1, 64)
}
