// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

// TestInitWithoutTheRightToLook: a user of one namespace, as docs/install.md makes one, is told what to do.
func TestInitWithoutTheRightToLook(t *testing.T) {
	s := testServer(t)
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "only-benchmarks"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{"zfsbench.io"}, Resources: []string{"zfsbenchmarks"}, Verbs: []string{"create", "get"}},
	}}
	narrow, err := s.addUser("narrow", role)
	if err != nil {
		t.Fatal(err)
	}
	code, manifest, stderr := run(t, narrow, "", "init", "--namespace", "default")
	if code != exitRefused || manifest != "" || !strings.Contains(stderr, "storage-viewer") {
		t.Errorf("code %d: %s%s", code, manifest, stderr)
	}
	code, manifest, stderr = run(t, narrow, "", "init", "--namespace", "default", "--node", "init-0", "--file")
	if code != 0 || !strings.Contains(manifest, "file: {size: 1Gi}") {
		t.Errorf("code %d: %s%s", code, manifest, stderr)
	}
}

// TestFromDisksToPlan goes from disks that nobody offers to a benchmark on two nodes. Nobody types a value of a disk.
func TestFromDisksToPlan(t *testing.T) {
	s := testServer(t)
	namespace := s.namespace(t)
	code, manifest, stderr := run(t, s.user, "", "init", "--node", "init-0", "--namespace", namespace)
	if code != 0 || !strings.Contains(manifest, "file: {size: 1Gi}") ||
		!strings.Contains(stderr, "kubectl zfsbench allow init-0") {
		t.Errorf("code %d: %s%s", code, manifest, stderr)
	}
	for _, name := range []string{"init-0", "init-1"} {
		s.observe(t, s.node(t, name), v1alpha1.ReasonDiscovered, "The node was looked at.")
		expect(t, s.storage, name+"\n", 0, []string{"created"}, "allow", name, "--namespace", namespace, "--blank", "--class",
			"hdd", "--apply")
	}
	code, manifest, stderr = run(t, s.user, "", "init", "--namespace", namespace)
	if code != 0 || !strings.Contains(manifest, "names: [init-0, init-1]") ||
		!strings.Contains(manifest, "class: hdd, count: 1") {
		t.Fatalf("code %d: %s%s", code, manifest, stderr)
	}
	code, _, stderr = run(t, s.user, "", "init", "--case", "etcd", "--namespace", namespace)
	if code != 1 || !strings.Contains(stderr, "2 blank disks of one class or one size are needed") {
		t.Errorf("code %d: %s", code, stderr)
	}
	expect(t, s.admin, manifest, 0, []string{"init-0   Given", "init-1   Given"}, "plan", "-f", "-")
	expect(t, s.user, manifest, 0, []string{"created"}, "run", "-f", "-")
}
