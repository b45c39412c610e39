// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"context"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/internal/kube/jobspec"
)

// question is one line of `kubectl auth can-i VERB RESOURCE/NAME --subresource --namespace`.
type question struct {
	verb, group, resource, subresource, name, namespace string
}

func (q question) String() string {
	text := q.verb + " " + q.resource
	for _, part := range []struct{ mark, value string }{{".", q.group}, {"/", q.subresource}, {" ", q.name},
		{" in ", q.namespace}} {
		if part.value != "" {
			text += part.mark + part.value
		}
	}
	return text
}

// access is what a user is let do and what not.
type access struct{ may, mayNot []question }

// check asks the API server, first for what is let: only when it knows the user's roles does it mean something that the
// rest is refused.
func (a access) check(t *testing.T, user string) {
	t.Helper()
	t.Run("may", func(t *testing.T) {
		for _, q := range a.may {
			t.Run(q.String(), func(t *testing.T) {
				err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, patience, true,
					func(context.Context) (bool, error) {
						return ask(t, user, q).Allowed, nil
					})
				if err != nil {
					t.Errorf("not allowed: %v", err)
				}
			})
		}
	})
	t.Run("may not", func(t *testing.T) {
		for _, q := range a.mayNot {
			t.Run(q.String(), func(t *testing.T) {
				if status := ask(t, user, q); status.Allowed {
					t.Errorf("allowed: %s", status.Reason)
				}
			})
		}
	})
}

// patience is how long the API server may take to learn of a role.
const patience = 10 * time.Second

func ask(t *testing.T, user string, q question) authorizationv1.SubjectAccessReviewStatus {
	t.Helper()
	s := apiserver(t)
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: user, Groups: s.configAs(user).Impersonate.Groups,
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: q.verb, Group: q.group, Version: "*", Resource: q.resource, Subresource: q.subresource, Name: q.name,
			Namespace: q.namespace,
		},
	}}
	if err := s.admin.Create(t.Context(), review); err != nil {
		t.Fatal(err)
	}
	return review.Status
}

// each asks the same of several verbs.
func each(q question, verbs ...string) []question {
	var all []question
	for _, verb := range verbs {
		q.verb = verb
		all = append(all, q)
	}
	return all
}

func join(lists ...[]question) []question {
	var all []question
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

func TestManager(t *testing.T) {
	access{may: managerMay(), mayNot: managerMayNot()}.check(t, managerUser)
}

func managerMay() []question {
	return join(
		each(question{group: "zfsbench.io", resource: "zfsbenchmarks", namespace: "team"}, "get", "list", "watch", "patch",
			"delete"),
		each(question{group: "zfsbench.io", resource: "zfsbenchmarks", subresource: "status", namespace: "team"}, "patch"),
		each(question{group: "zfsbench.io", resource: "benchmarkdevicepolicies"}, "get", "list", "watch"),
		each(question{group: "zfsbench.io", resource: "benchmarkdevicepolicies", subresource: "status"}, "patch"),
		each(question{group: "zfsbench.io", resource: "nodestorages"}, "get", "list", "watch", "create", "delete"),
		each(question{group: "zfsbench.io", resource: "nodestorages", subresource: "status"}, "patch"),
		each(question{resource: "nodes"}, "get", "list", "watch"),
		each(question{resource: "persistentvolumes"}, "get", "list", "watch"),
		each(question{resource: "configmaps", namespace: "team"}, "get", "create", "update"),
		each(question{group: "batch", resource: "jobs", namespace: runnerNamespace}, "get", "list", "watch", "create",
			"patch", "delete"),
		each(question{resource: "pods", namespace: runnerNamespace}, "get", "list", "watch", "create", "delete"),
		each(question{resource: "persistentvolumeclaims", namespace: runnerNamespace}, "get"),
		each(question{resource: "events", namespace: runnerNamespace}, "list"),
		each(question{group: "coordination.k8s.io", resource: "leases", namespace: runnerNamespace}, "get", "create", "patch",
			"delete"),
		each(question{group: "coordination.k8s.io", resource: "leases", name: "manager.zfsbench.io",
			namespace: managerNamespace}, "get", "update"),
	)
}

func managerMayNot() []question {
	return join(
		// Secrets, anywhere, also by the service accounts that have some.
		each(question{resource: "secrets"}, "get", "list", "watch", "create", "update", "patch", "delete"),
		each(question{resource: "secrets", namespace: runnerNamespace}, "get", "list", "watch", "create"),
		each(question{resource: "secrets", namespace: managerNamespace}, "get", "list", "watch", "create"),
		each(question{resource: "serviceaccounts", subresource: "token", namespace: runnerNamespace}, "create"),
		each(question{resource: "serviceaccounts", subresource: "token", namespace: "kube-system"}, "create"),
		// Into a pod, or past the Jobs.
		each(question{resource: "pods", subresource: "exec", namespace: runnerNamespace}, "create", "get"),
		each(question{resource: "pods", subresource: "attach", namespace: runnerNamespace}, "create", "get"),
		each(question{resource: "pods", subresource: "portforward", namespace: runnerNamespace}, "create", "get"),
		each(question{resource: "pods", subresource: "proxy", namespace: runnerNamespace}, "create", "get"),
		each(question{resource: "pods", subresource: "ephemeralcontainers", namespace: runnerNamespace}, "update", "patch"),
		each(question{resource: "pods", namespace: runnerNamespace}, "update", "patch", "deletecollection"),
		each(question{resource: "pods", subresource: "eviction", namespace: runnerNamespace}, "create"),
		each(question{group: "apps", resource: "daemonsets", namespace: runnerNamespace}, "create"),
		each(question{group: "batch", resource: "jobs", namespace: "team"}, "get", "list", "create", "patch", "delete"),
		each(question{resource: "pods", namespace: "team"}, "get", "list", "create"),
		// Somebody's data: a claim is looked at, in one namespace, by its name.
		each(question{resource: "persistentvolumeclaims", namespace: runnerNamespace}, "list", "watch", "create", "update",
			"patch", "delete"),
		each(question{resource: "persistentvolumeclaims", namespace: "team"}, "get", "list", "create", "delete"),
		each(question{resource: "persistentvolumes"}, "create", "update", "patch", "delete"),
		each(question{resource: "events", namespace: "team"}, "list"),
		// Up.
		each(question{group: "rbac.authorization.k8s.io", resource: "roles", namespace: runnerNamespace}, "escalate", "bind",
			"get", "delete"),
		each(question{group: "rbac.authorization.k8s.io", resource: "rolebindings", namespace: "team"}, "create", "patch"),
		each(question{group: "rbac.authorization.k8s.io", resource: "clusterroles"}, "escalate", "bind", "create", "patch",
			"update"),
		each(question{group: "rbac.authorization.k8s.io", resource: "clusterrolebindings"}, "create", "patch", "update"),
		each(question{resource: "users"}, "impersonate"),
		each(question{resource: "groups"}, "impersonate"),
		each(question{resource: "serviceaccounts", namespace: "kube-system"}, "impersonate"),
		each(question{group: "admissionregistration.k8s.io", resource: "validatingadmissionpolicies"}, "create", "patch",
			"update", "delete"),
		each(question{group: "admissionregistration.k8s.io", resource: "validatingadmissionpolicybindings"}, "create",
			"patch", "update", "delete"),
		// What others decide: nodes, namespaces, consent, the text of a benchmark.
		each(question{resource: "nodes"}, "patch", "update", "delete"),
		each(question{resource: "nodes", subresource: "proxy"}, "get", "create"),
		each(question{resource: "namespaces"}, "list", "watch", "patch", "update", "create", "delete"),
		each(question{group: "zfsbench.io", resource: "benchmarkdevicepolicies"}, "create", "patch", "update", "delete"),
		each(question{group: "zfsbench.io", resource: "zfsbenchmarks", namespace: "team"}, "create", "update"),
		each(question{resource: "configmaps", namespace: "team"}, "list", "watch", "patch", "delete"),
		each(question{group: "coordination.k8s.io", resource: "leases", name: "other", namespace: managerNamespace}, "get",
			"update", "delete"),
		each(question{group: "*", resource: "*"}, "*", "get"),
	)
}

// TestRunner checks what a runner may do with its own objects, and with another runner's.
func TestRunner(t *testing.T) {
	own, other := withImages(newRun(t, "runner-own")), withImages(newRun(t, "runner-other"))
	manager := apiserver(t).as(t, managerUser)
	for _, run := range []jobspec.Run{own, other} {
		for _, object := range []client.Object{run.ServiceAccount(), run.Role(), run.RoleBinding()} {
			check(t, apply(t, manager, object), "")
		}
	}
	user := "system:serviceaccount:" + runnerNamespace + ":" + own.Base()
	configMap := func(name string) question {
		return question{resource: "configmaps", name: name, namespace: runnerNamespace}
	}
	progress, results := configMap(jobspec.ProgressName(own.Base())), configMap(jobspec.ResultsName(own.Base(), 0))
	images := question{resource: "pods", name: jobspec.ImagePodName(own.Base()), namespace: runnerNamespace}
	otherImages := question{resource: "pods", name: jobspec.ImagePodName(other.Base()), namespace: runnerNamespace}
	access{
		may: join(each(progress, "get", "patch"), each(results, "get", "patch"), each(images, "get")),
		mayNot: join(
			each(progress, "create", "update", "delete", "list", "watch"),
			each(results, "create", "update", "delete", "list", "watch"),
			each(configMap(own.Base()), "get", "patch", "update", "delete"), // the plan: it is mounted, and nobody changes it
			each(configMap(jobspec.ResultsName(own.Base(), own.Shards)), "get", "patch"),
			each(configMap(jobspec.ProgressName(other.Base())), "get", "patch"),
			each(configMap(jobspec.ResultsName(other.Base(), 0)), "get", "patch"),
			each(configMap(""), "get", "patch", "list", "watch", "create", "delete"),
			each(question{resource: "configmaps", name: progress.name, namespace: "default"}, "get", "patch"),
			each(question{resource: "secrets", namespace: runnerNamespace}, "get", "list", "watch"),
			each(question{resource: "persistentvolumeclaims", namespace: runnerNamespace}, "get", "list", "create", "patch",
				"delete"),
			each(images, "list", "watch", "create", "patch", "update", "delete"),
			each(otherImages, "get"),
			each(question{resource: "pods", namespace: runnerNamespace}, "get", "list", "create", "delete"),
			each(question{resource: "pods", subresource: "exec", namespace: runnerNamespace}, "create"),
			each(question{resource: "serviceaccounts", subresource: "token", namespace: runnerNamespace}, "create"),
			each(question{group: "batch", resource: "jobs", namespace: runnerNamespace}, "get", "list", "create", "patch",
				"delete"),
			each(question{group: "coordination.k8s.io", resource: "leases", namespace: runnerNamespace}, "get", "create",
				"update", "delete"),
			each(question{group: "zfsbench.io", resource: "zfsbenchmarks", namespace: "default"}, "get", "list", "patch"),
			each(question{group: "rbac.authorization.k8s.io", resource: "roles", namespace: runnerNamespace}, "get", "create",
				"patch", "bind", "escalate"),
			each(question{resource: "nodes"}, "get", "list", "patch"),
		),
	}.check(t, user)
}

// TestManagerCannotGrantMore tries to hand a runner what the manager does not hold.
func TestManagerCannotGrantMore(t *testing.T) {
	manager, run := apiserver(t).as(t, managerUser), newRun(t, "grant")
	role := run.Role()
	role.Rules = append(role.Rules,
		rbacv1.PolicyRule{APIGroups: []string{corev1.GroupName}, Resources: []string{"secrets"}, Verbs: []string{"get"}})
	if err := apply(t, manager, role); err == nil {
		t.Error("the manager granted secrets")
	}
	binding := run.RoleBinding()
	binding.RoleRef = rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"}
	if err := apply(t, manager, binding); err == nil {
		t.Error("the manager bound cluster-admin")
	}
}

// TestPeople asks for the roles that the chart gives people.
func TestPeople(t *testing.T) {
	benchmarks := question{group: "zfsbench.io", resource: "zfsbenchmarks", namespace: "team"}
	policies := question{group: "zfsbench.io", resource: "benchmarkdevicepolicies"}
	jobs := question{group: "batch", resource: "jobs", namespace: runnerNamespace}
	exec := question{resource: "pods", subresource: "exec", namespace: runnerNamespace}
	tests := map[string]access{
		"viewer": {
			may: join(each(benchmarks, "get", "list", "watch"), each(policies, "get", "list", "watch")),
			mayNot: join(each(benchmarks, "create", "update", "patch", "delete"), each(policies, "create", "patch"),
				each(jobs, "get"), each(exec, "create")),
		},
		"editor": {
			may: join(each(benchmarks, "get", "list", "watch", "create", "update", "patch", "delete"),
				each(policies, "get", "list", "watch")),
			mayNot: join(each(policies, "create", "update", "patch", "delete", "abandon"), each(jobs, "get", "create"),
				each(exec, "create"),
				each(question{group: "zfsbench.io", resource: "zfsbenchmarks", subresource: "status", namespace: "team"}, "update",
					"patch")),
		},
		"policy-admin": {
			may:    each(policies, "get", "list", "watch", "create", "update", "patch", "delete", "abandon"),
			mayNot: join(each(benchmarks, "create", "patch", "delete"), each(jobs, "get", "create"), each(exec, "create")),
		},
	}
	for role, tt := range tests {
		t.Run(role, func(t *testing.T) {
			bind(t, role)
			tt.check(t, role)
		})
	}
}

// bind gives a user the role of the same name.
func bind(t *testing.T, role string) {
	t.Helper()
	err := apiserver(t).admin.Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: role},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "zfs-benchmark-operator-" + role},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: role}},
	})
	if err != nil {
		t.Fatal(err)
	}
}
