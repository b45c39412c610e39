// SPDX-License-Identifier: Apache-2.0

package csv

import (
	"strconv"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/result"
)

// steadyCSV are empty for a workload that is not repeated until it is steady.
var steadyCSV = []column{
	{"steady", ofSteady(func(s result.SteadyState) string { return strconv.FormatBool(s.Reached) })},
	{"steady_rounds", ofSteady(func(s result.SteadyState) string { return strconv.Itoa(len(s.IOPS)) })},
	{"steady_range_fraction", ofSteady(func(s result.SteadyState) string { return decimal(s.Range) })},
	{"steady_slope_fraction", ofSteady(func(s result.SteadyState) string { return decimal(s.Slope) })},
}

func ofSteady(value func(result.SteadyState) string) func(model.Row) string {
	return of(func(r model.Row) *result.SteadyState { return r.Sample.Steady }, value)
}
