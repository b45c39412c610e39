// SPDX-License-Identifier: Apache-2.0

package series

import "math"

// maxRows limits a series: one row per second for ten minutes. In a longer workload, a row covers two, four, ...
// seconds.
const maxRows = 600

// Column is one quantity over time.
type Column struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
	// Values are one for each row, NaN where nothing is known.
	Values values `json:"values"`
}

// track is a column while it grows, with sums over all of its values. Weights are seconds, or how many things a value
// is the mean of.
type track struct {
	Column
	// sum and weight cover all values; row and rowWeight only the values of the next row.
	sum, weight    float64
	row, rowWeight float64
	max            float64
}

// mean is 0 without values.
func (t *track) mean() float64 {
	if t == nil || t.weight == 0 {
		return 0
	}
	return t.sum / t.weight
}

func (t *track) most() float64 {
	if t == nil {
		return 0
	}
	return t.max
}

// table is all columns. If there are too many rows, pairs of rows are merged into one.
type table struct {
	columns []*track
	byName  map[string]*track
	rows    int
	// times are the times of the rows' ends, now is the time of the last observation, in seconds.
	times []float64
	now   float64
	// perRow is how many observations make a row, pending how many there are for the next.
	perRow, pending int
}

func newTable() *table { return &table{byName: map[string]*track{}, perRow: 1} }

// put adds a value to the current row. A column that begins late has no values before.
func (t *table) put(name, unit string, value, weight float64, brief bool) {
	c := t.byName[name]
	if c == nil {
		c = &track{Column: Column{Name: name, Unit: unit}}
		for range t.rows {
			c.Values = append(c.Values, math.NaN())
		}
		t.byName[name] = c
		t.columns = append(t.columns, c)
	}
	if weight <= 0 || math.IsNaN(value) || math.IsInf(value, 0) {
		return
	}
	c.sum, c.weight = c.sum+value*weight, c.weight+weight
	c.row, c.rowWeight = c.row+value*weight, c.rowWeight+weight
	if !brief || c.weight == weight {
		c.max = max(c.max, value)
	}
}

// observed ends an observation, and also the row if the row is complete.
func (t *table) observed(at float64) {
	t.now = at
	if t.pending++; t.pending >= t.perRow {
		t.endRow()
	}
}

func (t *table) endRow() {
	if t.pending == 0 {
		return
	}
	for _, c := range t.columns {
		value := math.NaN()
		if c.rowWeight > 0 {
			value = c.row / c.rowWeight
		}
		c.Values = append(c.Values, value)
		c.row, c.rowWeight = 0, 0
	}
	t.pending = 0
	t.times = append(t.times, t.now)
	if t.rows++; t.rows == maxRows {
		t.halve()
	}
}

// halve merges pairs of rows. The new value is the mean of the two, or the only known one.
func (t *table) halve() {
	for _, c := range t.columns {
		for i := range maxRows / 2 {
			a, b := c.Values[2*i], c.Values[2*i+1]
			switch {
			case math.IsNaN(a):
				c.Values[i] = b
			case math.IsNaN(b):
				c.Values[i] = a
			default:
				c.Values[i] = (a + b) / 2
			}
		}
		c.Values = c.Values[:maxRows/2]
	}
	for i := range maxRows / 2 {
		t.times[i] = t.times[2*i+1]
	}
	t.times = t.times[:maxRows/2]
	t.rows, t.perRow = maxRows/2, 2*t.perRow
}
