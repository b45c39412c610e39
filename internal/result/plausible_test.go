// SPDX-License-Identifier: Apache-2.0

package result

import (
	"math"
	"strings"
	"testing"
)

// TestOperationCheck holds what a runner that lies may not say of a measurement.
func TestOperationCheck(t *testing.T) {
	tests := map[string]struct {
		change func(*Operation)
		want   string // in the error; empty for none
	}{
		"as measured": {func(*Operation) {}, ""},
		"rounded":     {func(d *Operation) { d.BandwidthBytesPerSecond -= 0.9; d.IOPS += 0.009 }, ""},
		"shorter than it says": {func(d *Operation) {
			d.RuntimeNanoseconds = 0
			d.BandwidthBytesPerSecond, d.IOPS = 0, 0
		}, ""},
		"no histogram": {func(d *Operation) { d.Latency.Histogram = Histogram{} }, ""},
		"percentiles unknown": {func(d *Operation) {
			d.Latency = Latency{Count: 9, MinNanoseconds: 5, MaxNanoseconds: 7, MeanNanoseconds: 6}
		}, ""},
		"ten times as fast": {func(d *Operation) { d.BandwidthBytesPerSecond *= 10 }, "bandwidthBytesPerSecond"},
		"IOPS of nothing":   {func(d *Operation) { d.IOs = 0 }, "iops"},
		"in no time":        {func(d *Operation) { d.RuntimeNanoseconds = 0 }, "in no time"},
		"NaN":               {func(d *Operation) { d.BandwidthBytesPerSecond = math.NaN() }, "bandwidthBytesPerSecond"},
		"infinite":          {func(d *Operation) { d.IOPS = math.Inf(1) }, "iops"},
		"negative rate":     {func(d *Operation) { d.IOs, d.IOPS = 0, -0.5 }, "iops"},
		"negative bytes":    {func(d *Operation) { d.Bytes = -1 }, "bytes"},
		"negative I/O":      {func(d *Operation) { d.IOs = -1 }, "ios"},
		"negative runtime":  {func(d *Operation) { d.RuntimeNanoseconds = -1 }, "runtimeNanoseconds"},
		"more than EiB":     {func(d *Operation) { d.Bytes = math.MaxInt64 }, "bytes"},
		"counts that overflow": {func(d *Operation) {
			d.Latency.Histogram = Histogram{}
			d.Latency.Count = math.MaxInt64
		}, "latency.count"},
		"percentile above all": {func(d *Operation) {
			d.Latency.Histogram = Histogram{}
			d.Latency.P999Nanoseconds = 1 << 50
		}, "above the maximum"},
		"percentile below all": {func(d *Operation) {
			d.Latency.Histogram = Histogram{}
			d.Latency.P50Nanoseconds = 1
		}, "below the minimum"},
		"percentile out of order": {func(d *Operation) {
			d.Latency.P95Nanoseconds = d.Latency.P50Nanoseconds - 1
		}, "below the one before it"},
		"another maximum":        {func(d *Operation) { d.Latency.MaxNanoseconds *= 4 }, "histogram reaches from"},
		"another minimum":        {func(d *Operation) { d.Latency.MinNanoseconds = 0 }, "histogram reaches from"},
		"negative deviation":     {func(d *Operation) { d.Latency.StddevNanoseconds = -1 }, "no finite number"},
		"mean that is no number": {func(d *Operation) { d.Latency.MeanNanoseconds = math.NaN() }, "no finite number"},
		"a bin too many":         {func(d *Operation) { d.Latency.Histogram.Bins[0].Count++ }, "histogram counts"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := fastOperation()
			tt.change(d)
			err := d.Check()
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

// fastOperation is a thousand I/O of 4 KiB within a second, at latencies from 1 to 100 µs.
func fastOperation() *Operation {
	values := make([]int64, 1000)
	for i := range values {
		values[i] = 1000 + int64(i)*99
	}
	h := counted(values, MaxHistogramBits)
	return &Operation{
		Bytes: 4096000, IOs: 1000, RuntimeNanoseconds: 1e9, BandwidthBytesPerSecond: 4096000, IOPS: 1000,
		Latency: Latency{
			Count: 1000, MinNanoseconds: 1000, MaxNanoseconds: 99901, MeanNanoseconds: 50450.5, P50Nanoseconds: h.Percentile(50),
			P95Nanoseconds: h.Percentile(95), P99Nanoseconds: h.Percentile(99), P999Nanoseconds: h.Percentile(99.9),
			Histogram: h,
		},
	}
}
