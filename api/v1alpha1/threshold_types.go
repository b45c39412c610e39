// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"fmt"
	"regexp"
	"strconv"
)

// RelativeToReference is the relativeTo of a threshold on the ratio to the reference variant.
const RelativeToReference = "Reference"

// Threshold is a limit for one metric of one workload. It holds for every variant, on every node, unless it names a
// variant; exactly one of atLeast and atMost is set.
//
// +kubebuilder:validation:XValidation:rule=`has(self.atLeast) != has(self.atMost)`,message="exactly one of atLeast and atMost must be set"
// +kubebuilder:validation:XValidation:rule=`!has(self.relativeTo) || limitOr('1%').endsWith('%')`,message="a threshold with relativeTo is a percentage, for example 95%"
// +kubebuilder:validation:XValidation:rule=`has(self.relativeTo) || !limitOr('1').endsWith('%')`,message="a percentage needs relativeTo: say of what"
// +kubebuilder:validation:XValidation:rule=`has(self.relativeTo) || !self.metric.contains('Latency') || limitOr('s').endsWith('s')`,message="a threshold on a latency is a time, for example 2ms"
// +kubebuilder:validation:XValidation:rule=`has(self.relativeTo) || !self.metric.contains('Bandwidth') || !limitOr('k').endsWith('s')`,message="a threshold on a bandwidth is bytes per second, for example 500Mi"
// +kubebuilder:validation:XValidation:rule=`has(self.relativeTo) || !self.metric.contains('IOPS') || limitOr('k').matches('^[0-9.]*[kMG]?$')`,message="a threshold on IOPS is a number, for example 20k"
type Threshold struct {
	// workload is one of spec.workloads, by name.
	// +required
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:MinLength=1
	Workload string `json:"workload"`

	// metric is the metric that is limited, for example readBandwidth: the geometric mean over repetitions of a bandwidth,
	// of I/Os per second, or of the mean or a percentile of the total latency. The workload must have the operation.
	// +required
	Metric ThresholdMetric `json:"metric"`

	// variant is the name of the variant that the threshold applies to. Default: every variant; with relativeTo:
	// Reference, every variant that has a reference.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`self.matches('^[A-Za-z0-9]([-A-Za-z0-9._+=,]*[A-Za-z0-9])?$')`,message="variant must be the name of a variant, for example layout=stripe,recordsize=16K"
	Variant string `json:"variant,omitempty"`

	// atLeast is the smallest value that meets the threshold: bytes per second (500Mi), I/O per second (20k), a latency
	// (2ms), or with relativeTo a percentage (95%). Always a string: "800", with quotes.
	// +optional
	AtLeast ThresholdBound `json:"atLeast,omitempty"`

	// atMost is the largest value that meets the threshold, in the same units.
	// +optional
	AtMost ThresholdBound `json:"atMost,omitempty"`

	// relativeTo makes the bound a percentage of the same metric of another variant or benchmark: Reference, for the
	// reference variant of each variant, or the name of a benchmark or ConfigMap in comparison.with.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`self == 'Reference' || isDNSName(self)`,message="relativeTo must be Reference, or a name in comparison.with"
	RelativeTo string `json:"relativeTo,omitempty"`
}

// ThresholdMetric is what a threshold limits: an operation of the workload (read, write, one of a job such as
// clientRead, or another such as create), followed by Bandwidth, IOPS (for an operation such as create: files,
// directories or seeks per second), or LatencyMean, LatencyP50, LatencyP95, LatencyP99, LatencyP999.
//
// +kubebuilder:validation:MaxLength=60
// +kubebuilder:validation:XValidation:rule=`self.matches('^[a-z][A-Za-z0-9]*(Bandwidth|IOPS|LatencyMean|LatencyP50|LatencyP95|LatencyP99|LatencyP999)$')`,message="metric must be an operation followed by Bandwidth, IOPS, LatencyMean, LatencyP50, LatencyP95, LatencyP99 or LatencyP999, for example readBandwidth, writeLatencyP99 or createIOPS"
type ThresholdMetric string

// MetricWriteBandwidth is the bandwidth of writing.
const MetricWriteBandwidth ThresholdMetric = "writeBandwidth"

var thresholdMetric = regexp.MustCompile(`^([a-z][A-Za-z0-9]*)(Bandwidth|IOPS|LatencyMean|LatencyP50|LatencyP95|LatencyP99|LatencyP999)$`)

// Operation is the operation that a metric measures.
func (m ThresholdMetric) Operation() Operation {
	operation, _ := m.parts()
	return Operation(operation)
}

// Quantity is the metric without its operation, for example Bandwidth, IOPS or LatencyP99.
func (m ThresholdMetric) Quantity() string {
	_, quantity := m.parts()
	return quantity
}

// parts are empty for what is not well-formed.
func (m ThresholdMetric) parts() (operation, quantity string) {
	if found := thresholdMetric.FindStringSubmatch(string(m)); found != nil {
		return found[1], found[2]
	}
	return "", ""
}

// ThresholdBound is a number with the unit of its metric: a rate in bytes per second (500Mi; k, M, G and T are powers
// of 1000, Ki, Mi, Gi and Ti of 1024), I/O per second (20k), a time (ns, us, ms, s), or a percentage; more than 0.
//
// +kubebuilder:validation:MaxLength=24
// +kubebuilder:validation:XValidation:rule=`self.matches('^[0-9]{1,15}([.][0-9]{1,3})?([kMGT]|[KMGT]i|ns|us|ms|s|%)?$') && self.matches('[1-9]')`,message="must be a number above 0 with the unit of its metric, for example 500Mi, 20k, 2ms or 95%"
type ThresholdBound string

var thresholdBound = regexp.MustCompile(`^([0-9]{1,15}(?:[.][0-9]{1,3})?)([kMGT]|[KMGT]i|ns|us|ms|s|%)?$`)

// The units that a bound may have, by the first letter of the quantity; a latency needs one.
var thresholdUnits = map[byte]map[string]float64{
	'B': {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40},
	'I': {"": 1, "k": 1e3, "M": 1e6, "G": 1e9},
	'L': {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9},
	'%': {"%": 1e-2},
}

// Bound returns the bound in bytes per second, I/O per second or nanoseconds, or, with relativeTo, as a fraction: 0.95
// for 95%; atLeast says which of the two it is. It fails unless exactly one of AtLeast and AtMost is set, to a number
// above 0 with a unit of the metric.
func (t Threshold) Bound() (bound float64, atLeast bool, err error) {
	text := t.AtLeast + t.AtMost
	if (t.AtLeast == "") == (t.AtMost == "") {
		return 0, false, fmt.Errorf("exactly one of atLeast and atMost must be set")
	}
	kind := byte('%')
	if t.RelativeTo == "" && t.Metric.Quantity() != "" {
		kind = t.Metric.Quantity()[0]
	}
	parts := thresholdBound.FindStringSubmatch(string(text))
	if parts == nil {
		return 0, false, fmt.Errorf("parse bound %q: not a number above 0 with a unit", text)
	}
	unit, known := thresholdUnits[kind][parts[2]]
	if !known {
		return 0, false, fmt.Errorf("parse bound %q: not the unit of %s", text, t.Metric)
	}
	n, err := strconv.ParseFloat(parts[1], 64)
	if err != nil || n == 0 {
		return 0, false, fmt.Errorf("parse bound %q: not above 0", text)
	}
	return n * unit, t.AtLeast != "", nil
}
