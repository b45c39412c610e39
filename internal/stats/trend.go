// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Trend is how a series of values changes with its position.
type Trend struct {
	// Ratio is the ratio of the last to the first value of a straight line through the logarithms.
	Ratio float64
	// P is the probability of a slope at least this steep, up or down, if there is none; 1 for fewer than 3 values.
	P float64
}

// TrendOf fits a line to the logarithms of values in the order in which they were measured, by least squares, and tests
// its slope with Student's t. It returns ErrNotPositive, wrapped, for a value without a logarithm.
func TrendOf(values []float64) (Trend, error) {
	logs, err := logarithms(values)
	if err != nil {
		return Trend{}, fmt.Errorf("trend: %w", err)
	}
	n := float64(len(logs))
	if len(logs) < 3 {
		return Trend{Ratio: 1, P: 1}, nil
	}
	positions := make([]float64, len(logs))
	for i := range positions {
		positions[i] = float64(i)
	}
	alpha, beta := stat.LinearRegression(positions, logs, nil, false)
	var residual, spread float64
	middle := (n - 1) / 2
	for i, y := range logs {
		r := y - alpha - beta*positions[i]
		residual += r * r
		spread += (positions[i] - middle) * (positions[i] - middle)
	}
	t := Trend{Ratio: math.Exp(beta * (n - 1)), P: 1}
	switch standardError := math.Sqrt(residual / (n - 2) / spread); {
	case standardError > 0:
		t.P = 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 2}.Survival(math.Abs(beta)/standardError)
	case beta != 0:
		t.P = 0
	}
	return t, nil
}
