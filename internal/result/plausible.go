// SPDX-License-Identifier: Apache-2.0

package result

import (
	"errors"
	"fmt"
	"math"
)

// The numbers that a document may hold: beyond anything real, and still such that sums over a thousand repetitions fit
// into an int64 and ratios into a float64. A report must not fail, and status not be refused, because of one number.
const (
	// maxInteger is 1 EiB, or 36 years in nanoseconds.
	maxInteger = 1 << 60
	// maxCount is a hundred million I/O per second for four months.
	maxCount = 1 << 50
	// minFraction and maxFraction bound fractional numbers other than 0.
	minFraction, maxFraction = 1e-9, 1e18
)

// rateTolerance is how far a rate may be from what it was made of, as a fraction; tools round. Below one per second,
// whole numbers mean nothing.
const rateTolerance = 0.01

// Check says why no tool can have measured an operation, or nil: numbers out of bounds, rates that are not bytes and
// I/O by runtime, or a distribution that contradicts itself.
func (d Operation) Check() error {
	for _, n := range []struct {
		name       string
		value, max int64
	}{
		{"bytes", d.Bytes, maxInteger}, {"ios", d.IOs, maxCount}, {"runtimeNanoseconds", d.RuntimeNanoseconds, maxInteger},
		{"latency.count", d.Latency.Count, maxCount},
	} {
		if n.value < 0 || n.value > n.max {
			return fmt.Errorf("%s: %d is not possible", n.name, n.value)
		}
	}
	if err := checkRate(d.BandwidthBytesPerSecond, d.Bytes, d.RuntimeNanoseconds); err != nil {
		return fmt.Errorf("bandwidthBytesPerSecond: %w", err)
	}
	if err := checkRate(d.IOPS, d.IOs, d.RuntimeNanoseconds); err != nil {
		return fmt.Errorf("iops: %w", err)
	}
	if err := d.Latency.check(); err != nil {
		return fmt.Errorf("latency: %w", err)
	}
	return nil
}

// checkRate holds a rate per second to the amount and the time it was made of.
func checkRate(rate float64, amount, nanoseconds int64) error {
	if nanoseconds == 0 {
		if rate != 0 {
			return fmt.Errorf("%v in no time", rate)
		}
		return nil
	}
	want := float64(amount) / float64(nanoseconds) * 1e9
	if err := checkFraction(rate); err != nil {
		return fmt.Errorf("%v %w", rate, err)
	}
	if math.Abs(rate-want) > max(1, want*rateTolerance) {
		return fmt.Errorf("%v is not %d in %d ns", rate, amount, nanoseconds)
	}
	return nil
}

// checkFraction says whether a number is one that a document may hold.
func checkFraction(f float64) error {
	if f == 0 || f >= minFraction && f <= maxFraction {
		return nil
	}
	return errors.New("is no finite number from 0")
}

// checkEdges holds a histogram to the smallest and the largest latency: they are in its first and its last bin.
func (l Latency) checkEdges() error {
	h := l.Histogram
	first, last := h.Bins[0].Nanoseconds, h.Bins[len(h.Bins)-1].Nanoseconds
	if binIndex(first, h.Bits) != binIndex(l.MinNanoseconds, h.Bits) ||
		binIndex(last, h.Bits) != binIndex(l.MaxNanoseconds, h.Bits) {
		return fmt.Errorf("histogram reaches from %d to %d ns, minimum and maximum are %d and %d", first, last,
			l.MinNanoseconds, l.MaxNanoseconds)
	}
	return nil
}
