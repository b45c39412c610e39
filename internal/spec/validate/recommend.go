// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/matrix"
	"zfsbench.io/operator/internal/text/fields"
)

const (
	maxGoals        = 16
	maxRequirements = 16
	maxWeight       = 100
	maxRedundancy   = 3
)

// recommend checks goals and requirements, and that there is a variant that could be recommended. Without variants, because the matrix is wrong, that is not checked.
func recommend(r *v1alpha1.RecommendSpec, workloads []v1alpha1.Workload, variants []matrix.Variant, path *field.Path) field.ErrorList {
	if r == nil {
		return nil
	}
	errs := fields.Count(len(r.Goals), 1, maxGoals, path.Child("goals"))
	for i, g := range r.Goals {
		at := path.Child("goals").Index(i)
		errs = append(errs, recommendMetric(g.Workload, g.Metric, workloads, at)...)
		if g.Weight < 1 || g.Weight > maxWeight {
			errs = append(errs, field.Invalid(at.Child("weight"), g.Weight, "weight must be from 1 to 100"))
		}
		if slices.ContainsFunc(r.Goals[:i], func(o v1alpha1.RecommendGoal) bool { return o.Workload == g.Workload && o.Metric == g.Metric }) {
			errs = append(errs, field.Duplicate(at, string(g.Metric)+" of "+g.Workload))
		}
	}
	errs = append(errs, fields.Count(len(r.Requirements), 0, maxRequirements, path.Child("requirements"))...)
	for i, requirement := range r.Requirements {
		at := path.Child("requirements").Index(i)
		errs = append(errs, recommendMetric(requirement.Workload, requirement.Metric, workloads, at)...)
		errs = append(errs, thresholdBound(requirement.Threshold(), at)...)
	}
	if r.MinRedundancy < 0 || r.MinRedundancy > maxRedundancy {
		errs = append(errs, field.Invalid(path.Child("minRedundancy"), r.MinRedundancy, "minRedundancy must be from 0 to 3"))
	}
	if len(variants) > 0 && !slices.ContainsFunc(variants, func(v matrix.Variant) bool { return v.Baseline == nil }) {
		errs = append(errs, field.Forbidden(path, "recommend needs a variant on ZFS: there are only baselines"))
	}
	return errs
}

func recommendMetric(workload string, m v1alpha1.ThresholdMetric, workloads []v1alpha1.Workload, at *field.Path) field.ErrorList {
	if errs := wellFormedMetric(m, at.Child("metric")); len(errs) > 0 {
		return errs
	}
	if len(workload) > maxWorkloadName {
		return field.ErrorList{field.TooLong(at.Child("workload"), workload, maxWorkloadName)}
	}
	i := slices.IndexFunc(workloads, func(w v1alpha1.Workload) bool { return w.Name == workload })
	if i < 0 {
		return field.ErrorList{field.Invalid(at.Child("workload"), workload, "workload is none of spec.workloads")}
	}
	return metricOf(m, workloads[i], at.Child("metric"))
}
