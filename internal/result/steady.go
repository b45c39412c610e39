// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"math"
	"slices"
)

// MaxRounds is how many rounds a sample may have.
const MaxRounds = 100

// SNIA's criteria (Solid State Storage Performance Test Specification, "Steady State"), as fractions of the mean of the
// window: how far the fastest round may be from the slowest, and how far the straight line that fits the rounds best
// may rise or fall from the first to the last.
const (
	SteadyRange = 0.20
	SteadySlope = 0.10
)

// SteadyState says how the rounds of a workload went that was repeated until it was steady. What the sample has
// measured is the last Window of them.
type SteadyState struct {
	// Reached says that both criteria were met by the last Window rounds.
	Reached bool `json:"reached"`
	Window  int  `json:"window"`
	// IOPS are the IOPS of every round, reads and writes together.
	IOPS []float64 `json:"iops"`
	// Range and Slope are taken over the last Window rounds, as fractions of their mean; 0 if there were fewer.
	Range float64 `json:"range"`
	Slope float64 `json:"slope"`
}

// SteadyStateOf looks at the last rounds.
func SteadyStateOf(iops []float64, window int) SteadyState {
	s := SteadyState{Window: window, IOPS: slices.Clone(iops)}
	if window < 2 || len(iops) < window {
		return s
	}
	s.Range, s.Slope = excursions(iops[len(iops)-window:])
	s.Reached = s.meets()
	return s
}

func (s SteadyState) meets() bool {
	return len(s.IOPS) >= s.Window && s.Range <= SteadyRange && s.Slope <= SteadySlope
}

// excursions are the range of the values, and of the line of least squares through them, as fractions of their mean.
func excursions(values []float64) (spread, slope float64) {
	var sum, products, squares float64
	middle := float64(len(values)-1) / 2
	for i, v := range values {
		x := float64(i) - middle
		sum, products, squares = sum+v, products+x*v, squares+x*x
	}
	mean := sum / float64(len(values))
	if mean <= 0 {
		return 0, 0
	}
	line := math.Abs(products/squares) * float64(len(values)-1)
	return perceptible((slices.Max(values) - slices.Min(values)) / mean), perceptible(line / mean)
}

// perceptible is 0 for what is so small that no document holds it.
func perceptible(fraction float64) float64 {
	if fraction < minFraction {
		return 0
	}
	return fraction
}

// check says why it cannot be true, or nil: its criteria follow from its rounds.
func (s *SteadyState) check() error {
	if s == nil {
		return nil
	}
	const rounding = 1e-6
	again := SteadyStateOf(s.IOPS, s.Window)
	switch {
	case s.Window < 2 || len(s.IOPS) < 1 || len(s.IOPS) > MaxRounds:
		return fmt.Errorf("%d rounds with a window of %d", len(s.IOPS), s.Window)
	case math.Abs(again.Range-s.Range) > rounding || math.Abs(again.Slope-s.Slope) > rounding:
		return fmt.Errorf("range %v and slope %v do not follow from its rounds", s.Range, s.Slope)
	case s.Reached != s.meets():
		return fmt.Errorf("reached is %t with a range of %v and a slope of %v", s.Reached, s.Range, s.Slope)
	}
	return nil
}
