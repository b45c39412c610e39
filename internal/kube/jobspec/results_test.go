// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

func testBenchmark() *v1alpha1.ZfsBenchmark {
	return &v1alpha1.ZfsBenchmark{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "mirror",
		UID: "0c7c9a41-8a2e-4fbb-9f4d-1f2d3c4b5a69"}}
}

func TestReportConfigMap(t *testing.T) {
	b := testBenchmark()
	compareGolden(t, "report.yaml",
		ReportConfigMap(b, ResultsConfigMapName(b), map[string]string{"summary.md": "# Summary\n"}))
}

func TestIsReportOf(t *testing.T) {
	ours := ReportConfigMap(testBenchmark(), "mirror-results", nil)
	tests := map[string]struct {
		change func(*corev1.ConfigMap)
		want   bool
	}{
		"ours":                     {func(*corev1.ConfigMap) {}, true},
		"somebody's":               {func(cm *corev1.ConfigMap) { cm.OwnerReferences, cm.Labels = nil, nil }, false},
		"only our label":           {func(cm *corev1.ConfigMap) { cm.OwnerReferences = nil }, false},
		"only our owner":           {func(cm *corev1.ConfigMap) { cm.Labels = nil }, false},
		"of a benchmark before us": {func(cm *corev1.ConfigMap) { cm.OwnerReferences[0].UID = "before" }, false},
		"owned but not controlled": {func(cm *corev1.ConfigMap) { cm.OwnerReferences[0].Controller = nil }, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cm := ours.DeepCopy()
			tt.change(cm)
			if got := IsReportOf(testBenchmark(), cm); got != tt.want {
				t.Errorf("IsReportOf = %v, want %v", got, tt.want)
			}
		})
	}
}
