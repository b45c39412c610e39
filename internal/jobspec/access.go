// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// ServiceAccount is the runner's own identity. Its token is mounted where the pod asks for it, nowhere else.
func (r Run) ServiceAccount() *corev1.ServiceAccount {
	return &corev1.ServiceAccount{
		TypeMeta:                     metav1.TypeMeta{APIVersion: corev1.SchemeGroupVersion.String(), Kind: "ServiceAccount"},
		ObjectMeta:                   r.meta(r.Base()),
		AutomountServiceAccountToken: ptr.To(false),
	}
}

// Role lets the runner read and patch its own progress and results, and nothing else. The manager can grant this because it holds it itself.
func (r Run) Role() *rbacv1.Role {
	return &rbacv1.Role{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "Role"},
		ObjectMeta: r.meta(r.Base()),
		Rules: []rbacv1.PolicyRule{{
			APIGroups:     []string{corev1.GroupName},
			Resources:     []string{"configmaps"},
			ResourceNames: r.runnerConfigMaps(),
			Verbs:         []string{"get", "patch"},
		}},
	}
}

// RoleBinding binds the runner's role to its service account.
func (r Run) RoleBinding() *rbacv1.RoleBinding {
	return &rbacv1.RoleBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "RoleBinding"},
		ObjectMeta: r.meta(r.Base()),
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: r.Base()},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: r.Base(), Namespace: r.Namespace}},
	}
}
