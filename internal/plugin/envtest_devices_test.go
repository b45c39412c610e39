// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
)

const (
	blankDisk = "/dev/disk/by-id/wwn-0x5000c500a0000001"
	usedDisk  = "/dev/disk/by-id/wwn-0x5000c500a0000002"
)

// node creates a node that allows benchmarks.
func (s *server) node(t *testing.T, name string) *corev1.Node {
	t.Helper()
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		v1alpha1.LabelNodeAllowed: "true"}}}
	if err := s.Create(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	return n
}

// observe plays the manager: it writes that the node was looked at, with a reason of the condition Current.
func (s *server) observe(t *testing.T, node *corev1.Node, reason, message string) {
	t.Helper()
	storage := &v1alpha1.NodeStorage{ObjectMeta: metav1.ObjectMeta{Name: node.Name}}
	if err := s.Create(t.Context(), storage.DeepCopy()); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	if err := s.Get(t.Context(), client.ObjectKeyFromObject(storage), storage); err != nil {
		t.Fatal(err)
	}
	now := metav1.Now()
	storage.Status = v1alpha1.NodeStorageStatus{NodeUID: string(node.UID), ObservedAt: &now, AttemptedAt: &now,
		ObservedRequest: storage.Annotations[v1alpha1.AnnotationDiscover]}
	status := metav1.ConditionFalse
	if reason == v1alpha1.ReasonDiscovered {
		status = metav1.ConditionTrue
	}
	storage.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionCurrent, Status: status, Reason: reason,
		Message: message, LastTransitionTime: now}}
	storage.Status.Disks = []v1alpha1.NodeDisk{
		{Path: blankDisk, Device: "/dev/sda", Serial: "S1", SizeBytes: 1 << 40, Model: "ST4000", Verdict: v1alpha1.DiskBlank},
		{Path: usedDisk, Device: "/dev/sdb", Serial: "S2", SizeBytes: 1 << 40, Verdict: v1alpha1.DiskInUse,
			Reason: "It is mounted at /srv."},
	}
	if err := s.Status().Update(t.Context(), storage); err != nil {
		t.Fatal(err)
	}
}

// expect runs a command and compares its code, and what it prints.
func expect(t *testing.T, kubeconfig, stdin string, wantCode int, want []string, args ...string) {
	t.Helper()
	code, stdout, stderr := run(t, kubeconfig, stdin, args...)
	if code != wantCode {
		t.Errorf("%v: code %d, want %d", args, code, wantCode)
	}
	for _, text := range want {
		if !strings.Contains(stdout+stderr, text) {
			t.Errorf("%v: %q is not in\n%s%s", args, text, stdout, stderr)
		}
	}
}

func TestDevices(t *testing.T) {
	s := testServer(t)
	expect(t, s.admin, "", exitError, []string{"Node devices-0 does not exist"}, "devices", "devices-0")
	node := s.node(t, "devices-0")
	expect(t, s.admin, "", exitError, []string{"has not made its NodeStorage yet"}, "devices", "devices-0")
	expect(t, s.admin, "", exitTimedOut, []string{"Waiting for node devices-0", "within 1s"}, "devices", "devices-0",
		"--wait", "--timeout", "1s")
	s.observe(t, node, v1alpha1.ReasonDiscovered, "The node was looked at.")
	expect(t, s.admin, "", 0, []string{"devices-0   " + blankDisk + "   ST4000", "It is mounted at /srv."}, "devices",
		"devices-0", "--wait")
	expect(t, s.user, "", 0, []string{"SERIAL", "/dev/sda"}, "devices", "-o", "wide")
	expect(t, s.user, "", 0, []string{"kind: NodeStorageList\n", "serial: S1"}, "devices", "-o", "yaml")
	expect(t, s.user, "", 0, []string{`"kind": "NodeStorage",`}, "devices", "devices-0", "-o", "json")
	expect(t, s.user, "", exitError, []string{"kubectl label node other-0 zfsbench.io/allowed=true"}, "devices", "other-0")
	s.observe(t, node, v1alpha1.ReasonDiscoveryFailed, "The discovery failed.")
	expect(t, s.user, "", 0, []string{"may no longer be true. The discovery failed.", "--discover"}, "devices",
		"devices-0")
	expect(t, s.user, "", exitError, []string{"devices-0: The discovery failed."}, "devices", "devices-0", "--wait")
}

// TestDiscover: a storage administrator asks for a discovery and waits for it, and nobody else can ask.
func TestDiscover(t *testing.T) {
	s := testServer(t)
	node := s.node(t, "discover-0")
	s.observe(t, node, v1alpha1.ReasonDiscoveryFailed, "The discovery failed.")
	expect(t, s.user, "", exitRefused, []string{"ask for a discovery of node discover-0", "cannot patch"}, "devices",
		"discover-0", "--discover")
	c := begin(t.Context(), s.storage, "", "devices", "discover-0", "--discover", "--wait")
	c.wait(t, "Waiting for node discover-0.")
	s.observe(t, node, v1alpha1.ReasonDiscovered, "The node was looked at.")
	select {
	case code := <-c.code:
		if code != 0 || !strings.Contains(c.out.String(), blankDisk) {
			t.Errorf("code %d: %s%s", code, &c.out, &c.errOut)
		}
	case <-time.After(time.Minute):
		t.Fatalf("the command still waits: %s", &c.errOut)
	}
}

func TestAllow(t *testing.T) {
	s := testServer(t)
	namespace := s.namespace(t)
	allow := func(args ...string) []string {
		return append([]string{"allow", "allow-0", "--namespace", namespace}, args...)
	}
	node := s.node(t, "allow-0")
	expect(t, s.storage, "", exitRefused, []string{"There is no NodeStorage of that name"}, allow("--blank")...)
	s.observe(t, node, v1alpha1.ReasonDiscovered, "The node was looked at.")
	code, policy, stderr := run(t, s.admin, "", allow("--blank", "--name", "printed")...)
	if code != 0 || !strings.Contains(policy, "# ST4000, 1 TiB, /dev/sda, Blank at ") {
		t.Errorf("code %d: %s%s", code, policy, stderr)
	}
	expect(t, s.storage, "", 0, []string{`"serial": "S1"`}, allow("--blank", "-o", "json")...)
	expect(t, s.storage, "", exitRefused, []string{usedDisk + " is not blank (InUse): It is mounted at /srv."},
		allow("--device", usedDisk)...)
	expect(t, s.storage, "wrong\n", exitRefused, []string{blankDisk, `"wrong" is not the name of the node`},
		allow("--blank", "--apply")...)
	expect(t, s.storage, "", exitRefused, []string{`"" is not the name`}, allow("--blank", "--apply")...)
	expect(t, s.user, "allow-0\n", exitRefused, []string{"is given by a storage administrator"},
		allow("--blank", "--apply")...)
	expect(t, s.storage, "", 0, []string{"name: \"allow-0-" + namespace}, allow("--blank")...)
	if s.policies(t, "allow-0") != 0 {
		t.Fatal("a policy was created without consent")
	}
	expect(t, s.storage, "allow-0\n", 0, []string{"destroy everything on these disks of node allow-0",
		"policy.zfsbench.io/allow-0-" + namespace + " created"}, allow("--blank", "--apply")...)
	expect(t, s.storage, "", 0, []string{"there is nothing to allow"},
		allow("--blank", "--apply", "--confirm", "allow-0")...)
	expect(t, s.admin, "", exitError, []string{"namespaces \"nobody\" not found"}, "allow", "allow-0", "--blank",
		"-n", "nobody")
	if got := s.policies(t, "allow-0"); got != 1 {
		t.Errorf("%d policies, want 1", got)
	}
}

// policies counts the policies of a node.
func (s *server) policies(t *testing.T, node string) int {
	t.Helper()
	var list v1alpha1.BenchmarkDevicePolicyList
	if err := s.List(t.Context(), &list); err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, p := range list.Items {
		if p.Spec.Node.Name == node {
			count++
		}
	}
	return count
}

// TestAllowNeedsTheNode: a script must name the node, and a name that is taken is refused.
func TestAllowNeedsTheNode(t *testing.T) {
	s := testServer(t)
	namespace := s.namespace(t)
	node := s.node(t, "confirm-0")
	s.observe(t, node, v1alpha1.ReasonBenchmarkRuns, "A benchmark uses the node.")
	expect(t, s.storage, "", exitError, []string{"--confirm names other-0"}, "allow", "confirm-0", "-n", namespace,
		"--blank", "--apply", "--confirm", "other-0")
	expect(t, s.storage, "", exitError, []string{"--namespace is missing"}, "allow", "confirm-0", "--blank")
	expect(t, s.storage, "", exitError, []string{"either --device PATH"}, "allow", "confirm-0", "-n", namespace)
	p := policyFor(node, "someone")
	p.Name = "taken"
	if err := s.Create(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	expect(t, s.storage, "", exitRefused, []string{"BenchmarkDevicePolicy taken exists and is not changed"}, "allow",
		"confirm-0", "-n", namespace, "--blank", "--apply", "--confirm", "confirm-0", "--name", "taken")
	expect(t, s.storage, "", 0, []string{"confirm-0-" + namespace + " created"}, "allow", "confirm-0", "-n", namespace,
		"--device", blankDisk, "--apply", "--confirm", "confirm-0")
}
