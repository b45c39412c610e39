// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
)

const notResults = "the benchmark operator writes ConfigMaps only if they are results that a ZfsBenchmark controls"

// resultsOf are the results of a benchmark, as the manager makes them.
func resultsOf(name, uid string) *corev1.ConfigMap {
	b := &v1alpha1.ZfsBenchmark{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceDefault,
		UID: types.UID(uid)}}
	return jobspec.ReportConfigMap(b, jobspec.ResultsConfigMapName(b), map[string]string{"summary.md": "fast"})
}

// TestNewResults has a manager that somebody else controls create ConfigMaps in the namespace of a user.
func TestNewResults(t *testing.T) {
	tests := map[string]struct {
		change func(*corev1.ConfigMap)
		want   string
	}{
		"as built":             {},
		"a further part":       {change: func(cm *corev1.ConfigMap) { cm.Name += "-1" }},
		"with any other name":  {change: func(cm *corev1.ConfigMap) { cm.Name = "kube-root-ca.crt" }, want: notResults},
		"with a longer name":   {change: func(cm *corev1.ConfigMap) { cm.Name += "-of-others" }, want: notResults},
		"of another benchmark": {change: func(cm *corev1.ConfigMap) { cm.Name = "other-results" }, want: notResults},
		"without an owner":     {change: func(cm *corev1.ConfigMap) { cm.OwnerReferences = nil }, want: notResults},
		"that nobody controls": {change: func(cm *corev1.ConfigMap) {
			cm.OwnerReferences[0].Controller = nil
		}, want: notResults},
		"of another kind": {change: func(cm *corev1.ConfigMap) {
			cm.OwnerReferences[0].Kind = "Deployment"
		}, want: notResults},
		"of another API": {change: func(cm *corev1.ConfigMap) {
			cm.OwnerReferences[0].APIVersion = "example.com/v1"
		}, want: notResults},
		"without the label": {change: func(cm *corev1.ConfigMap) { cm.Labels = nil }, want: notResults},
		"labelled as another's": {change: func(cm *corev1.ConfigMap) {
			cm.Labels[v1alpha1.LabelBenchmarkUID] = "b"
		}, want: notResults},
		"that cannot be deleted": {
			change: func(cm *corev1.ConfigMap) {
				cm.Finalizers = []string{"example.com/forever"}
			}, want: "puts no finalizers on results",
		},
		"in the system's namespace": {
			change: func(cm *corev1.ConfigMap) {
				cm.Namespace, cm.OwnerReferences = metav1.NamespaceSystem, nil
			}, want: notResults,
		},
		"a plan in the runner namespace": {
			change: func(cm *corev1.ConfigMap) {
				cm.Name, cm.Namespace, cm.OwnerReferences = "zb-0123456789abcdef", runnerNamespace, nil
			},
		},
	}
	manager := apiserver(t).as(t, managerUser)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cm := resultsOf("mirror", "new-results")
			if tt.change != nil {
				tt.change(cm)
			}
			check(t, manager.Create(t.Context(), cm, client.DryRunAll), tt.want)
		})
	}
	t.Run("anything, by others", func(t *testing.T) {
		other := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "other", Namespace: metav1.NamespaceDefault}}
		check(t, apiserver(t).admin.Create(t.Context(), other, client.DryRunAll), "")
	})
}

// TestChangedResults has it change ConfigMaps that exist.
func TestChangedResults(t *testing.T) {
	s := apiserver(t)
	manager := s.as(t, managerUser)
	results := resultsOf("changed", "changed-results")
	check(t, manager.Create(t.Context(), results), "")
	foreign := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "coredns", Namespace: metav1.NamespaceDefault},
		Data: map[string]string{"Corefile": "."}}
	// One that has the name, and even the label, but that somebody else made.
	namesake := resultsOf("namesake", "namesake-results")
	namesake.OwnerReferences = nil
	for _, cm := range []*corev1.ConfigMap{foreign, namesake} {
		if err := s.admin.Create(t.Context(), cm); err != nil {
			t.Fatal(err)
		}
	}
	tests := map[string]struct {
		object *corev1.ConfigMap
		change func(*corev1.ConfigMap)
		want   string
	}{
		"new numbers": {object: results, change: func(cm *corev1.ConfigMap) { cm.Data["summary.md"] = "slow" }},
		"somebody's data": {object: foreign, change: func(cm *corev1.ConfigMap) {
			cm.Data["Corefile"] = "evil"
		}, want: notResults},
		"somebody's, as results": {object: namesake, change: func(cm *corev1.ConfigMap) {
			cm.Data["summary.md"] = "slow"
		}, want: notResults},
		"a takeover of a namesake": {object: namesake, change: func(cm *corev1.ConfigMap) {
			cm.OwnerReferences = resultsOf("namesake", "namesake-results").OwnerReferences
		}, want: notResults},
		"results that are let go": {object: results, change: func(cm *corev1.ConfigMap) {
			cm.OwnerReferences = nil
		}, want: notResults},
		"a finalizer": {object: results, change: func(cm *corev1.ConfigMap) {
			cm.Finalizers = []string{"example.com/forever"}
		}, want: "puts no finalizers on results"},
		"results of another object": {
			object: results, want: "does not change whose results a ConfigMap holds",
			change: func(cm *corev1.ConfigMap) {
				cm.OwnerReferences[0].UID, cm.Labels[v1alpha1.LabelBenchmarkUID] = "other-uid", "other-uid"
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cm := tt.object.DeepCopy()
			tt.change(cm)
			check(t, manager.Update(t.Context(), cm, client.DryRunAll), tt.want)
		})
	}
	t.Run("somebody's data, by others", func(t *testing.T) {
		cm := foreign.DeepCopy()
		cm.Data["Corefile"] = "other"
		check(t, s.admin.Update(t.Context(), cm, client.DryRunAll), "")
	})
}
