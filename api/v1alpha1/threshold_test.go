// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import "testing"

func TestThresholdBound(t *testing.T) {
	tests := map[string]struct {
		threshold Threshold
		want      float64 // 0: refused
		atLeast   bool
	}{
		"bandwidth":           {Threshold{Metric: MetricWriteBandwidth, AtLeast: "500Mi"}, 500 << 20, true},
		"bandwidth, plain":    {Threshold{Metric: "readBandwidth", AtMost: "1000"}, 1000, false},
		"bandwidth, decimals": {Threshold{Metric: "readBandwidth", AtLeast: "1.5G"}, 1.5e9, true},
		"IOPS":                {Threshold{Metric: "readIOPS", AtLeast: "20k"}, 20000, true},
		"latency":             {Threshold{Metric: "writeLatencyP99", AtMost: "2ms"}, 2e6, false},
		"latency below one":   {Threshold{Metric: "readLatencyMean", AtMost: "0.25us"}, 250, false},
		"relative": {Threshold{Metric: "readLatencyMean", AtMost: "110%", RelativeTo: RelativeToReference}, 1.1,
			false},
		"relative, decimals": {Threshold{Metric: "readBandwidth", AtLeast: "97.5%", RelativeTo: "before"}, 0.975, true},

		"neither":                   {Threshold{Metric: "readIOPS"}, 0, false},
		"both":                      {Threshold{Metric: "readIOPS", AtLeast: "1", AtMost: "2"}, 0, false},
		"zero":                      {Threshold{Metric: "readIOPS", AtLeast: "0"}, 0, false},
		"zero with decimals":        {Threshold{Metric: "readIOPS", AtLeast: "0.000"}, 0, false},
		"an exponent":               {Threshold{Metric: "readIOPS", AtLeast: "1e9"}, 0, false},
		"below zero":                {Threshold{Metric: "readIOPS", AtLeast: "-1"}, 0, false},
		"no number":                 {Threshold{Metric: "readIOPS", AtLeast: "NaN"}, 0, false},
		"IOPS in powers of 1024":    {Threshold{Metric: "readIOPS", AtLeast: "20Ki"}, 0, false},
		"latency without a unit":    {Threshold{Metric: "readLatencyMean", AtMost: "2"}, 0, false},
		"latency in bytes":          {Threshold{Metric: "readLatencyMean", AtMost: "2Mi"}, 0, false},
		"bandwidth in seconds":      {Threshold{Metric: "readBandwidth", AtMost: "2s"}, 0, false},
		"a percentage of nothing":   {Threshold{Metric: "readBandwidth", AtLeast: "95%"}, 0, false},
		"a relative bound in bytes": {Threshold{Metric: "readBandwidth", AtLeast: "500Mi", RelativeTo: "before"}, 0, false},
	}
	for name, tt := range tests {
		got, atLeast, err := tt.threshold.Bound()
		if (err != nil) != (tt.want == 0) || got != tt.want || atLeast != tt.atLeast {
			t.Errorf("%s: got %v, at least %v, %v; want %v, %v", name, got, atLeast, err, tt.want, tt.atLeast)
		}
	}
}

func TestThresholdMetric(t *testing.T) {
	tests := map[ThresholdMetric]struct {
		operation Operation
		quantity  string
	}{
		"readLatencyP999":      {"read", "LatencyP999"},
		"writeIOPS":            {"write", "IOPS"},
		"rewriteBandwidth":     {"rewrite", "Bandwidth"},
		"sequentialCreateIOPS": {"sequentialCreate", "IOPS"},
		"bandwidth":            {},
		"LatencyMean":          {},
		"readLatencyP98":       {},
		"read.IOPS":            {},
	}
	for m, want := range tests {
		if m.Operation() != want.operation || m.Quantity() != want.quantity {
			t.Errorf("%s is the %q of %q", m, m.Quantity(), m.Operation())
		}
	}
}
