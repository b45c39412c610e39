// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
)

const disk = `
apiVersion: zfsbench.io/v1alpha1
kind: ZfsBenchmark
metadata: {name: b}
spec:
  nodes: {names: [storage-0]}
  devices: [{name: d0, path: /dev/disk/by-id/x}]
  pool: {vdevs: [{type: stripe, devices: [d0]}]}
  workloads: [{name: w, fio: {rw: write, size: 1Mi}}]
`

// policyFor is a policy for the disk.
func policyFor(node *corev1.Node, namespace string) *v1alpha1.BenchmarkDevicePolicy {
	p := &v1alpha1.BenchmarkDevicePolicy{ObjectMeta: metav1.ObjectMeta{Name: node.Name}}
	p.Spec.Node = v1alpha1.PolicyNode{Name: node.Name, UID: string(node.UID)}
	p.Spec.Namespaces = []string{namespace}
	p.Spec.Devices = []v1alpha1.PolicyDevice{{Path: "/dev/disk/by-id/x", Serial: "s"}}
	p.Spec.Devices[0].Size.Set(1 << 30)
	return p
}

func TestPlan(t *testing.T) {
	s := testServer(t)
	namespace := s.namespace(t)
	manifest := strings.Replace(disk, "storage-0", "plan-0", 1)
	plan := func(kubeconfig string, wantCode int, want ...string) {
		t.Helper()
		code, stdout, stderr := run(t, kubeconfig, manifest, "plan", "-f", "-", "--namespace", namespace)
		if code != wantCode {
			t.Errorf("code %d, want %d", code, wantCode)
		}
		for _, text := range want {
			if !strings.Contains(stdout+stderr, text) {
				t.Errorf("%q is not in\n%s%s", text, stdout, stderr)
			}
		}
	}
	plan(s.admin, exitRefused, "plan-0: Node plan-0 does not exist.", "No BenchmarkDevicePolicy lets namespace "+namespace)
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "plan-0"}}
	if err := s.Create(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	if err := s.Create(t.Context(), policyFor(node, namespace)); err != nil {
		t.Fatal(err)
	}
	plan(s.admin, exitRefused, "does not allow benchmarks: `kubectl label node plan-0 zfsbench.io/allowed=true`")
	node.Labels = map[string]string{v1alpha1.LabelNodeAllowed: "true"}
	if err := s.Update(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	plan(s.admin, 0, "plan-0   Given", "default   d0", "fio write, blocks of 4k, size 1Mi")
	plan(s.user, 0, "plan-0   Given", "You may not list nodes")
	var all v1alpha1.ZfsBenchmarkList
	if err := s.List(t.Context(), &all, client.InNamespace(namespace)); err != nil || len(all.Items) > 0 {
		t.Errorf("plan created %v, error %v", all.Items, err)
	}
}

func TestPlanFillsInDefaults(t *testing.T) {
	s := testServer(t)
	namespace := s.namespace(t)
	manifest := strings.Replace(disk, "path: /dev/disk/by-id/x", "file: {size: 1Gi}", 1)
	manifest = strings.Replace(manifest, "storage-0", "defaults-0", 1)
	want := []string{"apiVersion: cli.zfsbench.io/v1alpha1", "kind: BenchmarkPreview", "    cleanupPolicy: OnSuccess",
		"        ioEngine: psync", "  trials: 1", "neededBytes: "}
	_, stdout, stderr := run(t, s.admin, manifest, "plan", "-f", "-", "-n", namespace, "-o", "yaml")
	for _, text := range want {
		if !strings.Contains(stdout, text) {
			t.Errorf("%q is not in\n%s%s", text, stdout, stderr)
		}
	}
	if code, _, stderr := run(t, s.admin, manifest, "run", "-f", "-", "-n", namespace); code != 0 {
		t.Fatalf("code %d: %s", code, stderr)
	}
	_, existing, stderr := run(t, s.admin, "", "plan", "b", "-n", namespace, "-o", "yaml")
	for _, text := range append(want, "uid: ") {
		if !strings.Contains(existing, text) {
			t.Errorf("%q is not in\n%s%s", text, existing, stderr)
		}
	}
}

// TestPlanIsRefused: errors are the API server's, or those of the rules that only Go knows.
func TestPlanIsRefused(t *testing.T) {
	s := testServer(t)
	namespace := s.namespace(t)
	tests := map[string]struct {
		old, new string
		args     []string
		code     int
		want     string
	}{
		"an unknown field": {"nodes:", "nodess: {}\n  nodes:", nil, exitRefused, `unknown field "spec.nodess"`},
		"a rule of the CRD": {"devices: [d0]", "devices: [d9]", nil, exitRefused,
			"spec.pool.vdevs: Invalid value: vdevs names d9, which is not in spec.devices"},
		"a rule in Go": {"pool:", "comparison: {reference: nobody}\n  matrix: {axes: [{name: r, property: recordsize, " +
			"propertyValues: [16K, 32K]}]}\n  pool:", nil, exitRefused, "spec.comparison.reference"},
		"another namespace": {"name: b}", "name: b, namespace: other}", nil, exitError,
			"metadata.namespace is other, and --namespace says"},
		"a policy": {"workloads:", "workloads:", []string{"-f", "../../config/samples/policy.yaml"}, exitError,
			"policies of files count only with --local"},
		"a name as well": {"", "", []string{"b"}, exitError, "either a file (-f FILE) or the name"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"plan", "-f", "-", "--namespace", namespace}, test.args...)
			code, stdout, stderr := run(t, s.admin, strings.Replace(disk, test.old, test.new, 1), args...)
			if code != test.code || !strings.Contains(stderr, test.want) || stdout != "" {
				t.Errorf("code %d, want %d and %q:\n%s%s", code, test.code, test.want, stdout, stderr)
			}
		})
	}
	if code, _, stderr := run(t, s.admin, "", "plan", "nobody", "-n", namespace); code != exitError ||
		!strings.Contains(stderr, `"nobody" not found`) {
		t.Errorf("code %d: %s", code, stderr)
	}
}
