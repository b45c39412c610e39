// SPDX-License-Identifier: Apache-2.0

package series

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Version is the schema version of Document.
const Version = 1

// TimeSeries is the time series of one workload in one trial. If the trial was run again, it is from the last attempt.
type TimeSeries struct {
	Version    int    `json:"version"`
	PlanDigest string `json:"planDigest"`
	Trial      int    `json:"trial"`
	Variant    string `json:"variant"`
	Repetition int    `json:"repetition"`
	Workload   string `json:"workload"`
	// Pass is 0 for a workload that has only one.
	Pass    int       `json:"pass,omitempty"`
	Started time.Time `json:"started"`
	// Columns all have the same length. The first is the time of each row's end since Started; the others are means
	// over the row.
	Columns []Column `json:"columns"`
}

// FileName is the name of a series, by the name of the workload or of a pass of it.
func FileName(trial int, workload string) string {
	return fmt.Sprintf("trial-%05d-%s.json.gz", trial, workload)
}

// Encode writes the document as gzip'ed JSON.
func (d TimeSeries) Encode() ([]byte, error) {
	plain, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("encode series: %w", err)
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(plain); err != nil {
		return nil, fmt.Errorf("encode series: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("encode series: %w", err)
	}
	return out.Bytes(), nil
}

// values are written with three decimals, which is more precise than any monitor, and NaN as null.
type values []float64

func (v values) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for i, f := range v {
		if i > 0 {
			out = append(out, ',')
		}
		if math.IsNaN(f) {
			out = append(out, "null"...)
			continue
		}
		out = strconv.AppendFloat(out, math.Round(f*1000)/1000, 'f', -1, 64)
	}
	return append(out, ']'), nil
}

func (v *values) UnmarshalJSON(data []byte) error {
	var read []*float64
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	*v = nil
	for _, f := range read {
		if f == nil {
			*v = append(*v, math.NaN())
		} else {
			*v = append(*v, *f)
		}
	}
	return nil
}
