// SPDX-License-Identifier: Apache-2.0

package chart_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

const (
	release          = "zfsbench"
	managerNamespace = "zfsbench-system"
	runnerNamespace  = "zfsbench-runners"
	lock             = release + "-runners"
	abandon          = release + "-abandon"
)

// cluster is an API server without controllers, and helm.
type cluster struct {
	client.Client
	t                *testing.T
	helm, kubeconfig string
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		t.Fatal("KUBEBUILDER_ASSETS is not set: `make devcluster && bin/devcluster assets` builds kube-apiserver and etcd " +
			"and prints where they are")
	}
	helm, err := filepath.Abs("../../bin/tools/helm")
	if err == nil {
		_, err = os.Stat(helm)
	}
	if err != nil {
		t.Fatalf("helm is missing, `make envtest` builds it: %v", err)
	}
	environment := &envtest.Environment{}
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := environment.Stop(); err != nil {
			t.Errorf("stop API server: %v", err)
		}
	})
	c := &cluster{t: t, helm: helm, kubeconfig: filepath.Join(t.TempDir(), "kubeconfig")}
	if c.Client, err = client.New(config, client.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.kubeconfig, environment.KubeConfig, 0o600); err != nil {
		t.Fatal(err)
	}
	return c
}

// run runs helm in the manager's namespace.
func (c *cluster) run(args ...string) {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), c.helm,
		append(args, "--kubeconfig", c.kubeconfig, "--namespace", managerNamespace)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		c.t.Fatalf("helm %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// install installs the chart with a runner's image of this tag.
func (c *cluster) install(how []string, tag string) {
	c.t.Helper()
	c.run(append(how, release, "../../charts/zfs-benchmark-operator", "--create-namespace", "--set-string",
		"runner.image.tag="+tag)...)
}

// policy is a policy, or nil.
func (c *cluster) policy(name string) *admissionv1.ValidatingAdmissionPolicy {
	c.t.Helper()
	policy := &admissionv1.ValidatingAdmissionPolicy{}
	err := c.Get(c.t.Context(), client.ObjectKey{Name: name}, policy)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return policy
}

// mustBeLocked wants the runner namespace to be there, and closed to administrators.
func (c *cluster) mustBeLocked(when, tag string) {
	c.t.Helper()
	namespace := &corev1.Namespace{}
	if err := c.Get(c.t.Context(), client.ObjectKey{Name: runnerNamespace}, namespace); err != nil ||
		namespace.DeletionTimestamp != nil {
		c.t.Errorf("%s: the runner namespace does not stay: %v", when, err)
	}
	policy := c.policy(lock)
	if policy == nil {
		c.t.Fatalf("%s: the lock is gone", when)
	}
	image := ""
	for _, variable := range policy.Spec.Variables {
		if variable.Name == "image" {
			image = variable.Expression
		}
	}
	if !strings.HasSuffix(image, ":"+tag+"'") {
		c.t.Errorf("%s: the lock lets in %s, want tag %s", when, image, tag)
	}
	if err := c.refused(); err != nil {
		c.t.Errorf("%s: %v", when, err)
	}
}

// refused waits until a pod of an administrator's is refused in the runner namespace.
func (c *cluster) refused() error {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: runnerNamespace, Name: "intruder"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "shell", Image: "example/shell"}}},
	}
	last := errors.New("a pod is let in")
	if err := wait.PollUntilContextTimeout(c.t.Context(), 200*time.Millisecond, 30*time.Second, true,
		func(ctx context.Context) (bool, error) {
			if err := c.Create(ctx, pod.DeepCopy(), client.DryRunAll); err != nil {
				last = err
			}
			return strings.Contains(last.Error(), "denied request"), nil
		}); err != nil {
		return errors.Join(err, last)
	}
	return nil
}

// TestUninstallKeepsTheLock uninstalls while the runner namespace stays, and with it perhaps a privileged pod. What
// would keep namespaces with benchmarks from being deleted goes. Installing and upgrading take over what stayed.
func TestUninstallKeepsTheLock(t *testing.T) {
	c := newCluster(t)
	c.install([]string{"install"}, "v1")
	c.mustBeLocked("installed", "v1")
	if c.policy(abandon) == nil {
		t.Errorf("policy %s is not installed", abandon)
	}
	for _, tag := range []string{"v2", "v3"} {
		c.run("uninstall", release)
		c.mustBeLocked("uninstalled before "+tag, map[string]string{"v2": "v1", "v3": "v2"}[tag])
		if c.policy(abandon) != nil {
			t.Errorf("policy %s stays, and with no manager no namespace with a benchmark could be deleted", abandon)
		}
		c.install([]string{"install"}, tag)
		c.mustBeLocked("installed again", tag)
		if c.policy(abandon) == nil {
			t.Errorf("policy %s is not installed again", abandon)
		}
	}
	c.install([]string{"upgrade"}, "v4")
	c.mustBeLocked("upgraded", "v4")
}
