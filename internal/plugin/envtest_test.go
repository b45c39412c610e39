// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
)

// server is a real API server without a manager: the tests play it.
type server struct {
	client.Client
	env *envtest.Environment
	dir string
	// admin, user and storage are kubeconfigs. user may write benchmarks and read policies, but not list nodes. storage is
	// a storage administrator with the role policy-admin and no other.
	admin, user, storage string
}

// shared is started by the first test that needs it; the others run without.
var shared struct {
	once   sync.Once
	server *server
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if s := shared.server; s != nil {
		if err := errors.Join(s.env.Stop(), os.RemoveAll(s.dir)); err != nil {
			fmt.Fprintln(os.Stderr, "stop API server:", err)
		}
	}
	os.Exit(code)
}

func testServer(t *testing.T) *server {
	t.Helper()
	shared.once.Do(func() { shared.server, shared.err = startServer() })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.server
}

func startServer() (*server, error) {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		return nil, errors.New("KUBEBUILDER_ASSETS does not name a folder with kube-apiserver and etcd; `make envtest` does")
	}
	scheme := runtime.NewScheme()
	err := errors.Join(v1alpha1.AddToScheme(scheme), corev1.AddToScheme(scheme), rbacv1.AddToScheme(scheme))
	if err != nil {
		return nil, err
	}
	s := &server{env: &envtest.Environment{CRDDirectoryPaths: []string{"../../config/crd/bases"},
		ErrorIfCRDPathMissing: true, Scheme: scheme}}
	config, err := s.env.Start()
	if err != nil {
		return nil, fmt.Errorf("start API server: %w", err)
	}
	if s.Client, err = client.New(config, client.Options{Scheme: scheme}); err != nil {
		return s, err
	}
	if s.dir, err = os.MkdirTemp("", "plugin"); err != nil {
		return s, err
	}
	err = s.addUsers()
	return s, err
}

// addUsers writes the kubeconfigs, and gives the user what the role for editors and the built-in role edit give.
func (s *server) addUsers() error {
	s.admin = filepath.Join(s.dir, "admin")
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "editor"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{"zfsbench.io"}, Resources: []string{"zfsbenchmarks"}, Verbs: []string{"get", "create"}},
		{APIGroups: []string{"zfsbench.io"}, Resources: []string{"benchmarkdevicepolicies", "nodestorages"},
			Verbs: []string{"list"}},
		{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get"}},
	}}
	var err, errStorage error
	s.user, err = s.addUser("user", role)
	s.storage, errStorage = s.addUser("storage", policyAdmin())
	return errors.Join(os.WriteFile(s.admin, s.env.KubeConfig, 0o600), err, errStorage)
}

// policyAdmin is the role that is installed for storage administrators.
func policyAdmin() *rbacv1.ClusterRole {
	text, err := os.ReadFile("../../config/rbac/user_roles.yaml")
	role := &rbacv1.ClusterRole{}
	for _, document := range strings.Split(string(text), "\n---\n") {
		if strings.Contains(document, "name: zfs-benchmark-operator-policy-admin\n") {
			err = errors.Join(err, yaml.Unmarshal([]byte(document), role))
		}
	}
	if err != nil || len(role.Rules) == 0 {
		panic(fmt.Sprintf("no role for storage administrators: %v", err))
	}
	return role
}

// addUser creates a user with a role, and returns a kubeconfig.
func (s *server) addUser(name string, role *rbacv1.ClusterRole) (string, error) {
	user, err := s.env.AddUser(envtest.User{Name: name, Groups: []string{name}}, nil)
	if err != nil {
		return "", err
	}
	config, err := user.KubeConfig()
	if err != nil {
		return "", err
	}
	binding := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: role.Name},
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "Group", Name: name}}}
	ctx, file := context.Background(), filepath.Join(s.dir, name)
	return file, errors.Join(os.WriteFile(file, config, 0o600), s.Create(ctx, role), s.Create(ctx, binding))
}

// namespace creates a namespace for one test.
func (s *server) namespace(t *testing.T) string {
	t.Helper()
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	if err := s.Create(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	return n.Name
}

// output collects what a command prints while it runs.
type output struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.text.String()
}

// call is a command that runs.
type call struct {
	out, errOut output
	code        chan int
}

// wait waits until the command has printed a text for people.
func (c *call) wait(t *testing.T, text string) {
	t.Helper()
	for !strings.Contains(c.errOut.String(), text) {
		select {
		case code := <-c.code:
			c.code <- code
			if !strings.Contains(c.errOut.String(), text) {
				t.Fatalf("the command ended with code %d and did not print %q, but %q", code, text, &c.errOut)
			}
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// begin starts a command with a kubeconfig; stdin is its standard input.
func begin(ctx context.Context, kubeconfig, stdin string, args ...string) *call {
	c := &call{code: make(chan int, 1)}
	o := options{poll: 5 * time.Millisecond,
		IOStreams: genericiooptions.IOStreams{In: strings.NewReader(stdin), Out: &c.out, ErrOut: &c.errOut}}
	go func() { c.code <- o.execute(ctx, "test", append([]string{"--kubeconfig", kubeconfig}, args...)) }()
	return c
}

// run runs a command to its end.
func run(t *testing.T, kubeconfig, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	c := begin(t.Context(), kubeconfig, stdin, args...)
	code = <-c.code
	return code, c.out.String(), c.errOut.String()
}
