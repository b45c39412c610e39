// SPDX-License-Identifier: Apache-2.0

package fill

import (
	"errors"
	"fmt"
)

const (
	// toleranceDivisor is how close to the level is close enough: half a percent of the usable space.
	toleranceDivisor = 200
	// firstDivisor is what part of what is missing is written first: how much space data takes, with parity and padding,
	// shows only then. No record takes as many times its size.
	firstDivisor = 16
	// carePercent is how much of the missing amount, estimated from that, is written next: records of another size may
	// take more space.
	carePercent = 99
	// minBytes is the smallest amount of one round.
	minBytes = 1 << 20
	// maxRounds is far more than are needed.
	maxRounds = 32
)

// ErrNoEffect says that the data written took no space.
var ErrNoEffect = errors.New("the data that is written takes no space in the pool")

// FullError says that a pool is already as full as requested.
type FullError struct{ Percent, Wanted float64 }

func (e *FullError) Error() string {
	return fmt.Sprintf("%.1f%% of the usable space is taken already, and percent is %.0f: set a higher percent, or fill "+
		"earlier in the list of workloads", e.Percent, e.Wanted)
}

// Space is a pool's space for datasets, in bytes.
type Space struct{ Used, Available int64 }

// Usable is used and available space together.
func (s Space) Usable() int64 { return s.Used + s.Available }

// Percent is how much of the usable space is used.
func (s Space) Percent() float64 {
	if s.Usable() <= 0 {
		return 0
	}
	return float64(s.Used) / float64(s.Usable()) * 100
}

// Level is how full a pool should be, and how full it is so far.
type Level struct {
	// wanted is how much is to be used in the end.
	percent       float64
	wanted, close int64
	first, now    Space
	written       int64
	rounds        int
}

// NewLevel is a percentage of the usable space of a pool with the given state. It fails with a *FullError.
func NewLevel(percent int32, now Space) (*Level, error) {
	usable := now.Usable()
	l := &Level{percent: float64(percent), wanted: usable / 100 * int64(percent),
		close: max(usable/toleranceDivisor, minBytes), first: now, now: now}
	if l.missing() <= l.close {
		return nil, &FullError{now.Percent(), l.percent}
	}
	return l, nil
}

func (l *Level) missing() int64 { return l.wanted - l.now.Used }

// Next is how many bytes to write next; 0 when the level is reached.
func (l *Level) Next() (int64, error) {
	missing := l.missing()
	switch {
	case missing <= l.close:
		return 0, nil
	case l.written == 0:
		return max(missing/firstDivisor, minBytes), nil
	case l.now.Used <= l.first.Used || l.rounds >= maxRounds:
		return 0, ErrNoEffect
	}
	// If the data seems to take less space than its size, the pool's numbers lag behind.
	stretch := max(1, float64(l.now.Used-l.first.Used)/float64(l.written))
	return max(int64(float64(missing)/stretch)/100*carePercent, minBytes), nil
}

// Wrote records how much was written, and the pool's space afterwards.
func (l *Level) Wrote(bytes int64, now Space) {
	l.written += bytes
	l.now = now
	l.rounds++
}
