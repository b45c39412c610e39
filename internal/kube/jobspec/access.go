// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// ServiceAccount is the runner's own identity. Its token is mounted only where the pod requests it.
func (r Run) ServiceAccount() *corev1.ServiceAccount { return serviceAccount(r.meta(r.Base())) }

func serviceAccount(meta metav1.ObjectMeta) *corev1.ServiceAccount {
	return &corev1.ServiceAccount{
		TypeMeta:                     metav1.TypeMeta{APIVersion: corev1.SchemeGroupVersion.String(), Kind: "ServiceAccount"},
		ObjectMeta:                   meta,
		AutomountServiceAccountToken: ptr.To(false),
	}
}

// Role lets the runner read and patch its own progress and results, read the answers about its claims, and read the pod
// that holds its images; nothing else. The manager has these permissions too, so it can grant them.
func (r Run) Role() *rbacv1.Role {
	return role(r.meta(r.Base()), slices.Concat(
		[]rbacv1.PolicyRule{configMaps(r.runnerConfigMaps(), "get", "patch")}, r.claimRules(), r.imageRules(),
	))
}

func role(meta metav1.ObjectMeta, rules []rbacv1.PolicyRule) *rbacv1.Role {
	return &rbacv1.Role{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "Role"},
		ObjectMeta: meta,
		Rules:      rules,
	}
}

// claimRules let the runner read the manager's answers.
func (r Run) claimRules() []rbacv1.PolicyRule {
	if !r.Plan.Claims() {
		return nil
	}
	return []rbacv1.PolicyRule{configMaps([]string{ClaimName(r.Base())}, "get")}
}

// imageRules let the runner find the containers that hold its images, and read why they do not run.
func (r Run) imageRules() []rbacv1.PolicyRule {
	if len(r.Plan.Images()) == 0 {
		return nil
	}
	return []rbacv1.PolicyRule{{
		APIGroups: []string{corev1.GroupName}, Resources: []string{"pods"}, ResourceNames: []string{ImagePodName(r.Base())},
		Verbs: []string{"get"},
	}}
}

func configMaps(names []string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{corev1.GroupName}, Resources: []string{"configmaps"},
		ResourceNames: names, Verbs: verbs}
}

// RoleBinding binds the runner's role to its service account.
func (r Run) RoleBinding() *rbacv1.RoleBinding { return roleBinding(r.meta(r.Base())) }

// roleBinding binds a role to the service account of the same name.
func roleBinding(meta metav1.ObjectMeta) *rbacv1.RoleBinding {
	return &rbacv1.RoleBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "RoleBinding"},
		ObjectMeta: meta,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: meta.Name, Namespace: meta.Namespace}},
	}
}
