// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// Who the API server sees.
const (
	managerUser       = "system:serviceaccount:zfsbench-system:zfs-benchmark-operator"
	jobControllerUser = "system:serviceaccount:kube-system:job-controller"
	garbageCollector  = "system:serviceaccount:kube-system:generic-garbage-collector"
	administrator     = ""
)

const (
	managerNamespace = "zfsbench-system"
	runnerNamespace  = "zfsbench-runners"
)

// installed is what a user installs that decides about access, in this order.
var installed = []string{
	"crd/bases/zfsbench.io_zfsbenchmarks.yaml", "crd/bases/zfsbench.io_benchmarkdevicepolicies.yaml",
	"crd/bases/zfsbench.io_nodestorages.yaml",
	"namespaces/manager.yaml", "namespaces/runners.yaml",
	"rbac/service_account.yaml", "rbac/role.yaml", "rbac/role_binding.yaml", "rbac/leader_election.yaml",
	"rbac/metrics_reader.yaml", "rbac/user_roles.yaml",
	"admission/policy.yaml", "admission/binding.yaml", "admission/abandon.yaml", "admission/results.yaml",
	"admission/consent.yaml", "csi/volumes.yaml",
}

// server is an API server with RBAC and the admission plugins of a real one. It has no controllers: the tests act in
// their names.
type server struct {
	environment *envtest.Environment
	config      *rest.Config
	admin       client.Client
}

// shared is started by the first test; starting it takes seconds.
var shared struct {
	once   sync.Once
	server *server
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.server != nil {
		if err := shared.server.environment.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stop API server:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// apiserver returns the API server of all tests, or fails the test.
func apiserver(t *testing.T) *server {
	t.Helper()
	shared.once.Do(func() { shared.server, shared.err = startServer() })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.server
}

func startServer() (*server, error) {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		return nil, errors.New("KUBEBUILDER_ASSETS is not set: `make devcluster && bin/devcluster assets` builds " +
			"kube-apiserver and etcd and prints where they are")
	}
	s := &server{environment: &envtest.Environment{}}
	// Real pods get the volume with their token from the plugin that envtest turns off.
	s.environment.ControlPlane.GetAPIServer().Configure().Disable("disable-admission-plugins")
	var err error
	if s.config, err = s.environment.Start(); err != nil {
		return nil, fmt.Errorf("start API server: %w", err)
	}
	if s.admin, err = client.New(s.config, client.Options{}); err == nil {
		err = s.install(context.Background())
	}
	if err != nil {
		return nil, errors.Join(err, s.environment.Stop())
	}
	return s, nil
}

// install applies the files and waits until the roles and the policy work.
func (s *server) install(ctx context.Context) error {
	for _, name := range installed {
		if err := s.installFile(ctx, filepath.Join("../../config", name)); err != nil {
			return fmt.Errorf("install %s: %w", name, err)
		}
	}
	manager, err := client.New(s.configAs(managerUser), client.Options{})
	if err != nil {
		return err
	}
	var last error
	err = wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true,
		func(ctx context.Context) (bool, error) {
			if last = manager.List(ctx, &batchv1.JobList{}, client.InNamespace(runnerNamespace)); last != nil {
				return false, nil //nolint:nilerr // it is told at the end
			}
			last = s.admin.Create(ctx, workloads()["a Deployment"], client.DryRunAll)
			if last == nil || !strings.Contains(last.Error(), "denied request") {
				return false, nil
			}
			other := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "other", Namespace: metav1.NamespaceDefault}}
			last = manager.Create(ctx, other, client.DryRunAll)
			return last != nil && strings.Contains(last.Error(), "denied request"), nil
		})
	if err != nil {
		return fmt.Errorf("wait for roles and policy (last answer: %w): %w", last, err)
	}
	return nil
}

func (s *server) installFile(ctx context.Context, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	for {
		var u unstructured.Unstructured
		if err := decoder.Decode(&u.Object); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := s.admin.Create(ctx, &u, client.FieldValidation(metav1.FieldValidationStrict)); err != nil {
			return err
		}
	}
}

// configAs is how to reach the API server as a user; administrator is the one who started it.
func (s *server) configAs(user string) *rest.Config {
	config := rest.CopyConfig(s.config)
	if user == administrator {
		return config
	}
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: []string{"system:authenticated"}}
	if parts := strings.Split(user, ":"); len(parts) == 4 {
		config.Impersonate.Groups = append(config.Impersonate.Groups, "system:serviceaccounts", "system:serviceaccounts:"+
			parts[2])
	}
	return config
}

func (s *server) as(t *testing.T, user string) client.Client {
	t.Helper()
	c, err := client.New(s.configAs(user), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (s *server) clientset(t *testing.T, user string) *kubernetes.Clientset {
	t.Helper()
	c, err := kubernetes.NewForConfig(s.configAs(user))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// check compares an answer of the API server with what is wanted: the policy's sentence, or admission.
func check(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("refused: %v", err)
	case want != "" && err == nil:
		t.Errorf("admitted; want a refusal with %q", want)
	case want != "" && (!strings.Contains(err.Error(), "denied request: ") || !strings.Contains(err.Error(), want)):
		t.Errorf("got %v\nwant a refusal by the policy with %q", err, want)
	}
}
