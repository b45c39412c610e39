// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// ErrNotPositive is returned for a value that has no finite logarithm: zero, negative, infinite or not a number.
var ErrNotPositive = errors.New("not a positive number")

// logarithms are the natural ones of the values. It returns ErrNotPositive, wrapped, for a value that has none.
func logarithms(values []float64) ([]float64, error) {
	logs := make([]float64, len(values))
	for i, v := range values {
		if v <= 0 || math.IsNaN(v) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("value %d is %v: %w", i, v, ErrNotPositive)
		}
		logs[i] = math.Log(v)
	}
	return logs, nil
}

// estimate is the mean of n logarithms and its standard error, which is infinite for fewer than two.
type estimate struct {
	n                   int
	mean, standardError float64
	// degreesOfFreedom is the number of degrees of freedom of the standard error; 0 stands for n-1.
	degreesOfFreedom float64
}

func estimateOf(logs []float64) estimate {
	if len(logs) < 2 {
		return estimate{n: len(logs), mean: stat.Mean(logs, nil), standardError: math.Inf(1)}
	}
	mean, deviation := stat.MeanStdDev(logs, nil)
	return estimate{n: len(logs), mean: mean, standardError: stat.StdErr(deviation, float64(len(logs)))}
}

// distribution is Student's t, which the mean follows around the true one in units of the standard error, if the
// logarithms are normal.
func (e estimate) distribution() distuv.StudentsT {
	nu := e.degreesOfFreedom
	if nu == 0 {
		nu = float64(e.n - 1)
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: nu}
}

// halfWidth is how far the interval of this confidence (0.95 for 95%) reaches from the mean. It is infinite for fewer
// than two logarithms.
func (e estimate) halfWidth(confidence float64) float64 {
	if e.n < 2 {
		return math.Inf(1)
	}
	return e.distribution().Quantile((1+confidence)/2) * e.standardError
}

// interval is the interval of the geometric mean: the interval of the mean of the logarithms, back in the unit of the
// values.
func (e estimate) interval(confidence float64) Interval {
	h := e.halfWidth(confidence)
	if math.IsInf(h, 1) {
		return Interval{}
	}
	return Interval{Low: math.Exp(e.mean - h), High: math.Exp(e.mean + h)}
}

// p is the probability of a mean at least this far from 0, on either side, if the true one is 0. It is 1 for fewer than
// two logarithms.
func (e estimate) p() float64 {
	switch {
	case e.n < 2 || e.mean == 0:
		return 1
	case e.standardError == 0:
		return 0
	}
	return 2 * e.distribution().Survival(math.Abs(e.mean)/e.standardError)
}
