// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/matrix"
	"zfsbench.io/operator/internal/text/fields"
)

const (
	maxComparedWith = 8
	maxThresholds   = 64
	maxMetric       = 60
	// maxObjectName is the longest name of an object.
	maxObjectName = 253
)

// variantName is what the name of a variant is made of.
var variantName = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9._+=,]*[A-Za-z0-9])?$`)

// comparedWith checks the other benchmarks that a benchmark is compared with, but not whether they exist.
func comparedWith(b *v1alpha1.ZfsBenchmark, path *field.Path) field.ErrorList {
	if b.Spec.Comparison == nil {
		return nil
	}
	with := b.Spec.Comparison.With
	errs := fields.Count(len(with), 0, maxComparedWith, path)
	names := map[string]bool{}
	for i, w := range with {
		at := path.Index(i)
		if (w.Benchmark == "") == (w.ConfigMap == "") {
			errs = append(errs, field.Invalid(at, w.Name(), "exactly one of benchmark and configMap must be set"))
			continue
		}
		errs = append(errs, objectName(w.Benchmark, maxNameLength, "benchmark must be the name of a ZfsBenchmark", at.Child("benchmark"))...)
		errs = append(errs, objectName(w.ConfigMap, maxObjectName, "configMap must be the name of a ConfigMap", at.Child("configMap"))...)
		if names[w.Name()] {
			errs = append(errs, field.Invalid(path, w.Name(), "with names something more than once: a threshold could not tell which one it is relative to"))
		}
		names[w.Name()] = true
		if w.Benchmark == b.Name {
			errs = append(errs, field.Invalid(path, w.Benchmark, "comparison.with names the benchmark itself"))
		}
	}
	return errs
}

// objectName accepts none at all.
func objectName(name string, longest int, message string, path *field.Path) field.ErrorList {
	switch {
	case len(name) > longest:
		return field.ErrorList{field.TooLong(path, name, longest)}
	case name != "" && !fields.Subdomain.MatchString(name):
		return field.ErrorList{field.Invalid(path, name, message)}
	}
	return nil
}

// thresholds checks each by itself, and that what it names exists. Without variants, because the matrix is wrong, their names are not checked.
func thresholds(s v1alpha1.ZfsBenchmarkSpec, variants []matrix.Variant, path *field.Path) field.ErrorList {
	errs := fields.Count(len(s.Thresholds), 0, maxThresholds, path)
	for i, t := range s.Thresholds {
		at := path.Index(i)
		errs = append(errs, thresholdWorkload(t, s.Workloads, at, path)...)
		errs = append(errs, thresholdBound(t, at)...)
		errs = append(errs, thresholdRelation(t, s.Comparison, at, path)...)
		errs = append(errs, thresholdVariant(t, variants, at.Child("variant"))...)
	}
	return errs
}

func thresholdWorkload(t v1alpha1.Threshold, workloads []v1alpha1.Workload, at, all *field.Path) field.ErrorList {
	if errs := wellFormedMetric(t.Metric, at.Child("metric")); len(errs) > 0 {
		return errs
	}
	if len(t.Workload) > maxWorkloadName {
		return field.ErrorList{field.TooLong(at.Child("workload"), t.Workload, maxWorkloadName)}
	}
	i := slices.IndexFunc(workloads, func(w v1alpha1.Workload) bool { return w.Name == t.Workload })
	if i < 0 {
		return field.ErrorList{field.Invalid(all, t.Workload, "thresholds names a workload that is not in spec.workloads")}
	}
	w, operation := workloads[i], t.Metric.Operation()
	if w.Fio != nil && isDirection(operation) && !w.Fio.Does(operation) {
		return field.ErrorList{field.Invalid(all, t.Metric, "thresholds has a metric of reading for a workload that only writes, or of writing for one that only reads")}
	}
	return metricOf(t.Metric, w, at.Child("metric"))
}

// isDirection says whether an operation is of all jobs of fio together.
func isDirection(o v1alpha1.Operation) bool {
	return o == v1alpha1.OperationRead || o == v1alpha1.OperationWrite
}

// metricOf checks that the workload has what a metric is of.
func metricOf(m v1alpha1.ThresholdMetric, w v1alpha1.Workload, at *field.Path) field.ErrorList {
	var operations []string
	for _, o := range w.Operations() {
		if w.Fio == nil || !isDirection(o) || w.Fio.Does(o) {
			operations = append(operations, string(o))
		}
	}
	if slices.Contains(operations, string(m.Operation())) {
		return nil
	}
	return field.ErrorList{field.Invalid(at, m, fmt.Sprintf("metric is of the operation %s; workload %s has %s", m.Operation(), w.Name, strings.Join(operations, ", ")))}
}

// wellFormedMetric checks what a metric looks like.
func wellFormedMetric(m v1alpha1.ThresholdMetric, at *field.Path) field.ErrorList {
	switch {
	case len(m) > maxMetric:
		return field.ErrorList{field.TooLong(at, string(m), maxMetric)}
	case !m.WellFormed():
		return field.ErrorList{field.Invalid(at, m, "metric must be an operation followed by Bandwidth, IOPS, LatencyMean, LatencyP50, LatencyP95, LatencyP99 or LatencyP999, "+
			"for example readBandwidth, writeLatencyP99 or createIOPS")}
	}
	return nil
}

// thresholdBound says first what the CRD says of the unit.
func thresholdBound(t v1alpha1.Threshold, at *field.Path) field.ErrorList {
	if (t.AtLeast == "") == (t.AtMost == "") {
		return field.ErrorList{field.Invalid(at, t.AtLeast, "exactly one of atLeast and atMost must be set")}
	}
	if _, _, err := t.Bound(); err == nil {
		return nil
	}
	text, percent := t.AtLeast+t.AtMost, len(t.AtLeast+t.AtMost)-1
	switch {
	case len(text) > 24:
		return field.ErrorList{field.TooLong(boundPath(t, at), text, 24)}
	case !text.WellFormed():
		return field.ErrorList{field.Invalid(boundPath(t, at), text, "must be a number above 0 with the unit of its metric, for example 500Mi, 20k, 2ms or 95%")}
	case t.RelativeTo != "":
		return field.ErrorList{field.Invalid(at, text, "a threshold with relativeTo is a percentage, for example 95%")}
	case text[percent] == '%':
		return field.ErrorList{field.Invalid(at, text, "a percentage needs relativeTo: say of what")}
	}
	kind := map[byte]string{
		'B': "a threshold on a bandwidth is bytes per second, for example 500Mi", 'I': "a threshold on IOPS is a number, for example 20k",
		'L': "a threshold on a latency is a time, for example 2ms",
	}
	quantity := t.Metric.Quantity()
	if quantity == "" {
		return nil // The metric is reported.
	}
	return field.ErrorList{field.Invalid(at, text, kind[quantity[0]])}
}

func boundPath(t v1alpha1.Threshold, at *field.Path) *field.Path {
	if t.AtLeast != "" {
		return at.Child("atLeast")
	}
	return at.Child("atMost")
}

func thresholdRelation(t v1alpha1.Threshold, c *v1alpha1.ComparisonSpec, at, all *field.Path) field.ErrorList {
	at = at.Child("relativeTo")
	var known bool
	switch {
	case t.RelativeTo == "":
		return nil
	case t.RelativeTo == v1alpha1.RelativeToReference:
		known = c != nil && c.Reference != ""
	case len(t.RelativeTo) > maxObjectName:
		return field.ErrorList{field.TooLong(at, t.RelativeTo, maxObjectName)}
	case !fields.Subdomain.MatchString(t.RelativeTo):
		return field.ErrorList{field.Invalid(at, t.RelativeTo, "relativeTo must be Reference, or a name in comparison.with")}
	default:
		known = c != nil && slices.ContainsFunc(c.With, func(w v1alpha1.ComparedWith) bool { return w.Name() == t.RelativeTo })
	}
	if known {
		return nil
	}
	return field.ErrorList{field.Invalid(all, t.RelativeTo, "relativeTo needs comparison.reference, or must be a name in comparison.with")}
}

func thresholdVariant(t v1alpha1.Threshold, variants []matrix.Variant, path *field.Path) field.ErrorList {
	switch {
	case t.Variant == "":
		return nil
	case len(t.Variant) > maxReference:
		return field.ErrorList{field.TooLong(path, t.Variant, maxReference)}
	case !variantName.MatchString(t.Variant):
		return field.ErrorList{field.Invalid(path, t.Variant, "variant must be the name of a variant, for example layout=stripe,recordsize=16K")}
	case len(variants) == 0:
		return nil
	}
	i := slices.IndexFunc(variants, func(v matrix.Variant) bool { return v.Name == t.Variant })
	switch {
	case i < 0:
		return field.ErrorList{field.Invalid(path, t.Variant, fmt.Sprintf("variant is none of the benchmark's: the first is %s", variants[0].Name))}
	case t.RelativeTo == v1alpha1.RelativeToReference && variants[i].Reference == "":
		return field.ErrorList{field.Invalid(path, t.Variant, "variant has no reference variant that it could be relative to")}
	}
	return nil
}
