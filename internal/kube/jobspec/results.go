// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

// ResultsConfigMapName is the name of the ConfigMap with a benchmark's results, or of the first of several.
func ResultsConfigMapName(benchmark *v1alpha1.ZfsBenchmark) string {
	return benchmark.Name + "-results"
}

// ReportConfigMap holds a part of a benchmark's report in the benchmark's own namespace, and is owned by it.
func ReportConfigMap(benchmark *v1alpha1.ZfsBenchmark, name string, data map[string]string) *corev1.ConfigMap {
	owner := metav1.NewControllerRef(benchmark, v1alpha1.GroupVersion.WithKind("ZfsBenchmark"))
	return &corev1.ConfigMap{
		TypeMeta: configMapType(),
		ObjectMeta: metav1.ObjectMeta{
			Name:            name,
			Namespace:       benchmark.Namespace,
			Labels:          map[string]string{v1alpha1.LabelBenchmarkUID: string(benchmark.UID), LabelManagedBy: ManagedBy},
			OwnerReferences: []metav1.OwnerReference{*owner},
		},
		Data: data,
	}
}

// IsReportOf says whether a ConfigMap may be overwritten as part of the benchmark's report: only if this benchmark
// controls it.
func IsReportOf(benchmark *v1alpha1.ZfsBenchmark, cm *corev1.ConfigMap) bool {
	return metav1.IsControlledBy(cm, benchmark) && cm.Labels[v1alpha1.LabelBenchmarkUID] == string(benchmark.UID)
}
