// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/compare"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/report"
)

// readOthers reads the results that a finished benchmark is compared with. It reads from the API: the cache does not
// hold users' ConfigMaps, and may not show yet that the other benchmark has finished. Missing or unusable results are a
// problem that the report names; an error may pass, and is retried.
func (r *Reconciler) readOthers(ctx context.Context, s *scope) ([]compare.Other, error) {
	c := s.benchmark.Spec.Comparison
	if c == nil || !isTrue(s.status(), v1alpha1.ConditionFinished) {
		return nil, nil
	}
	var others []compare.Other
	for _, w := range c.With {
		other := compare.Other{Name: w.Name()}
		var err error
		if w.Benchmark != "" {
			other.Comparable, other.Problem, err = r.readBenchmark(ctx,
				client.ObjectKey{Namespace: s.benchmark.Namespace, Name: w.Benchmark})
		} else {
			other.Comparable, other.Problem, err = r.readKept(ctx,
				client.ObjectKey{Namespace: s.benchmark.Namespace, Name: w.ConfigMap})
		}
		if err != nil {
			return nil, fmt.Errorf("read %s to compare with: %w", w.Name(), err)
		}
		others = append(others, other)
	}
	return others, nil
}

// readBenchmark reads the results of a benchmark that has finished.
func (r *Reconciler) readBenchmark(
	ctx context.Context, key client.ObjectKey,
) (document compare.Comparable, problem string, err error) {
	var other v1alpha1.ZfsBenchmark
	found, err := r.find(ctx, key, &other)
	switch {
	case err != nil:
		return document, "", err
	case !found:
		return document, fmt.Sprintf("There is no benchmark %s in this namespace.", key.Name), nil
	case !isTrue(&other.Status, v1alpha1.ConditionFinished):
		return document, fmt.Sprintf("Benchmark %s has not finished.", key.Name), nil
	}
	var cm corev1.ConfigMap
	found, err = r.find(ctx, client.ObjectKey{Namespace: key.Namespace, Name: jobspec.ResultsConfigMapName(&other)}, &cm)
	switch {
	case err != nil:
		return document, "", err
	case !found:
		return document, fmt.Sprintf("Benchmark %s has no results.", key.Name), nil
	case !jobspec.IsReportOf(&other, &cm):
		return document, fmt.Sprintf("Benchmark %s has no results: ConfigMap %s is not its own.", key.Name, cm.Name), nil
	}
	document, problem = decodeKept(&cm)
	return document, problem, nil
}

// readKept reads the results of a benchmark that somebody has kept in a ConfigMap.
func (r *Reconciler) readKept(
	ctx context.Context, key client.ObjectKey,
) (document compare.Comparable, problem string, err error) {
	var cm corev1.ConfigMap
	found, err := r.find(ctx, key, &cm)
	switch {
	case err != nil:
		return document, "", err
	case !found:
		return document, fmt.Sprintf("There is no ConfigMap %s in this namespace.", key.Name), nil
	}
	document, problem = decodeKept(&cm)
	return document, problem, nil
}

// find reads an object past the cache; false if there is none.
func (r *Reconciler) find(ctx context.Context, key client.ObjectKey, object client.Object) (bool, error) {
	err := r.APIReader.Get(ctx, key, object)
	return err == nil, client.IgnoreNotFound(err)
}

// decodeKept looks at one key only. Users write its content, so it is not trusted. Nothing else of the ConfigMap is
// shown, because the benchmark's owner may not be allowed to read it.
func decodeKept(cm *corev1.ConfigMap) (document compare.Comparable, problem string) {
	text, found := cm.Data[report.ComparableKey]
	if !found {
		return document, fmt.Sprintf("ConfigMap %s has no key %s.", cm.Name, report.ComparableKey)
	}
	document, err := compare.Decode([]byte(text))
	switch {
	case err != nil:
		return compare.Comparable{}, sentence(fmt.Sprintf("%s of ConfigMap %s cannot be used: %v.",
			report.ComparableKey, cm.Name, err))
	case document.Completed.IsZero():
		return compare.Comparable{}, fmt.Sprintf("The benchmark in ConfigMap %s had not finished.", cm.Name)
	}
	return document, ""
}
