// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/matrix"
)

// recommend checks goals and requirements, and that there is a variant that could be recommended. Without variants,
// because the matrix is wrong, that is not checked.
func recommend(r *v1alpha1.RecommendSpec, workloads []v1alpha1.Workload, variants []matrix.Variant,
	path *field.Path) field.ErrorList {
	if r == nil {
		return nil
	}
	var errs field.ErrorList
	for i, g := range r.Goals {
		at := path.Child("goals").Index(i)
		errs = append(errs, recommendMetric(g.Workload, g.Metric, workloads, at)...)
		if slices.ContainsFunc(r.Goals[:i], func(o v1alpha1.RecommendGoal) bool {
			return o.Workload == g.Workload && o.Metric == g.Metric
		}) {
			errs = append(errs, field.Duplicate(at, string(g.Metric)+" of "+g.Workload))
		}
	}
	for i, requirement := range r.Requirements {
		at := path.Child("requirements").Index(i)
		errs = append(errs, recommendMetric(requirement.Workload, requirement.Metric, workloads, at)...)
		errs = append(errs, requirementBound(requirement.Threshold(), at)...)
	}
	if len(variants) > 0 && !slices.ContainsFunc(variants, func(v matrix.Variant) bool { return v.Baseline == nil }) {
		errs = append(errs, field.Forbidden(path, "recommend needs a variant on ZFS: there are only baselines"))
	}
	return errs
}

func recommendMetric(workload string, m v1alpha1.ThresholdMetric, workloads []v1alpha1.Workload,
	at *field.Path) field.ErrorList {
	i := slices.IndexFunc(workloads, func(w v1alpha1.Workload) bool { return w.Name == workload })
	if i < 0 {
		return field.ErrorList{field.Invalid(at.Child("workload"), workload, "workload is not in spec.workloads")}
	}
	return metricOf(m, workloads[i], at.Child("metric"))
}

// requirementBound checks the unit of a bound. The CRD checks this for thresholds, but not for requirements.
func requirementBound(t v1alpha1.Threshold, at *field.Path) field.ErrorList {
	if _, _, err := t.Bound(); err == nil {
		return nil
	}
	text := t.AtLeast + t.AtMost
	if strings.HasSuffix(string(text), "%") {
		return field.ErrorList{field.Invalid(at, text, "a percentage needs relativeTo: say of what")}
	}
	kind := map[byte]string{
		'B': "a threshold on a bandwidth is bytes per second, for example 500Mi", 'I': "a threshold on IOPS is a number, " +
			"for example 20k",
		'L': "a threshold on a latency is a time, for example 2ms",
	}
	quantity := t.Metric.Quantity()
	if quantity == "" {
		return nil // The metric is reported.
	}
	return field.ErrorList{field.Invalid(at, text, kind[quantity[0]])}
}
