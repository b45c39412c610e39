// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/matrix"
)

// thresholds checks that the workload, metric and variant of each threshold exist. Without variants, because the matrix
// is wrong, their names are not checked.
func thresholds(s v1alpha1.ZfsBenchmarkSpec, variants []matrix.Variant, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, t := range s.Thresholds {
		at := path.Index(i)
		errs = append(errs, thresholdWorkload(t, s.Workloads, at, path)...)
		errs = append(errs, thresholdVariant(t, variants, at.Child("variant"))...)
	}
	return errs
}

func thresholdWorkload(t v1alpha1.Threshold, workloads []v1alpha1.Workload, at, all *field.Path) field.ErrorList {
	i := slices.IndexFunc(workloads, func(w v1alpha1.Workload) bool { return w.Name == t.Workload })
	if i < 0 {
		return nil // The CRD refuses it.
	}
	w, operation := workloads[i], t.Metric.Operation()
	if fio := w.Fio; fio != nil && (fio.Preset != "" || len(fio.Jobs) > 0) && isDirection(operation) &&
		!fio.Does(operation) {
		return field.ErrorList{field.Invalid(all, t.Metric, "thresholds has a metric of reading for a workload that only "+
			"writes, or of writing for one that only reads")}
	}
	return metricOf(t.Metric, w, at.Child("metric"))
}

// isDirection says whether an operation covers all jobs of fio together.
func isDirection(o v1alpha1.Operation) bool {
	return o == v1alpha1.OperationRead || o == v1alpha1.OperationWrite
}

// metricOf checks that the workload has the metric's operation.
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
	return field.ErrorList{field.Invalid(at, m, fmt.Sprintf("metric is for the operation %s, but workload %s has %s",
		m.Operation(), w.Name, strings.Join(operations, ", ")))}
}

func thresholdVariant(t v1alpha1.Threshold, variants []matrix.Variant, path *field.Path) field.ErrorList {
	switch {
	case t.Variant == "":
		return nil
	case len(variants) == 0:
		return nil
	}
	i := slices.IndexFunc(variants, func(v matrix.Variant) bool { return v.Name == t.Variant })
	switch {
	case i < 0:
		return field.ErrorList{field.Invalid(path, t.Variant, fmt.Sprintf("variant is not one of the benchmark's "+
			"variants: the first is %s", variants[0].Name))}
	case t.RelativeTo == v1alpha1.RelativeToReference && variants[i].Reference == "":
		return field.ErrorList{field.Invalid(path, t.Variant, "variant has no reference variant that it could be "+
			"relative to")}
	}
	return nil
}
