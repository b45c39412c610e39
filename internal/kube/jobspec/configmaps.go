// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// PlanConfigMap holds the plan. It is immutable and owns every other object of the run.
func (r Run) PlanConfigMap() *corev1.ConfigMap {
	return &corev1.ConfigMap{
		TypeMeta:   configMapType(),
		ObjectMeta: metav1.ObjectMeta{Name: r.Base(), Namespace: r.Namespace, Labels: r.labels()},
		Immutable:  ptr.To(true),
		Data:       map[string]string{KeyPlan: r.PlanJSON},
	}
}

// ProgressConfigMap is where the runner reports. The manager sets no data, because the data belong to the runner.
// suspend is the value of AnnotationSuspend; empty sets none.
func (r Run) ProgressConfigMap(suspend string) *corev1.ConfigMap {
	cm := &corev1.ConfigMap{TypeMeta: configMapType(), ObjectMeta: r.meta(ProgressName(r.Base()))}
	if suspend != "" {
		cm.Annotations = map[string]string{AnnotationSuspend: suspend}
	}
	return cm
}

// ResultsConfigMaps are where the runner puts its trials. They are made beforehand, because the runner may not create
// objects.
func (r Run) ResultsConfigMaps() []*corev1.ConfigMap {
	var cms []*corev1.ConfigMap
	for shard := range r.Shards {
		cms = append(cms, &corev1.ConfigMap{TypeMeta: configMapType(), ObjectMeta: r.meta(ResultsName(r.Base(), shard))})
	}
	return cms
}

// ClaimConfigMap is where the manager answers a runner's requests for claims. answer is the document, empty before the
// first answer.
func (r Run) ClaimConfigMap(answer []byte) *corev1.ConfigMap {
	cm := &corev1.ConfigMap{TypeMeta: configMapType(), ObjectMeta: r.meta(ClaimName(r.Base()))}
	if len(answer) > 0 {
		cm.Data = map[string]string{KeyClaim: string(answer)}
	}
	return cm
}

// runnerConfigMaps are the names of the ConfigMaps the runner may write.
func (r Run) runnerConfigMaps() []string {
	names := []string{ProgressName(r.Base())}
	for shard := range r.Shards {
		names = append(names, ResultsName(r.Base(), shard))
	}
	return names
}

func configMapType() metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: corev1.SchemeGroupVersion.String(), Kind: "ConfigMap"}
}
