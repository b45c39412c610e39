// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap/zapcore"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilversion "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/config"
)

// cluster is a real API server with the manager working on it. There is no kubelet, Job controller or garbage
// collector: the tests play them, which also lets them inject failures in any order.
type cluster struct {
	client.Client
	// manager may do what the manager may.
	manager client.Client
	// requests counts what the manager asks of the API.
	requests *requestCount
	// jobsEndAtOnce is true before Kubernetes 1.31, whose Job controller sets no condition before the last one.
	jobsEndAtOnce bool
	stop          func()
}

// shared is started by the first test that needs it; the pure tests run without.
var shared struct {
	once    sync.Once
	cluster *cluster
	err     error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.cluster != nil {
		shared.cluster.stop()
	}
	os.Exit(code)
}

// testCluster is the API server that all tests share; each keeps to its own namespace and nodes.
func testCluster(t *testing.T) *cluster {
	t.Helper()
	shared.once.Do(func() { shared.cluster, shared.err = startCluster() })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.cluster
}

func startCluster() (*cluster, error) {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		return nil, fmt.Errorf("KUBEBUILDER_ASSETS does not name a folder with kube-apiserver and etcd; `make envtest` does")
	}
	ctrl.SetLogger(zap.New(zap.WriteTo(os.Stderr), zap.UseDevMode(true), zap.Level(zapcore.ErrorLevel)))
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	env := &envtest.Environment{CRDDirectoryPaths: []string{"../config/crd/bases",
		"../internal/storage/csi/localpv/testdata"}, ErrorIfCRDPathMissing: true, Scheme: scheme}
	restConfig, err := env.Start()
	if err != nil {
		return nil, fmt.Errorf("start API server: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	c := &cluster{stop: func() {
		cancel()
		if err := env.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stop API server:", err)
		}
	}}
	if c.Client, err = client.New(restConfig, client.Options{Scheme: scheme}); err == nil {
		c.jobsEndAtOnce, err = isOlderThan(restConfig, utilversion.MajorMinor(1, 31))
	}
	if err == nil {
		err = c.startManager(ctx, restConfig, scheme)
	}
	if err != nil {
		c.stop()
		return nil, err
	}
	return c, nil
}

// isOlderThan says whether an API server is of an older Kubernetes.
func isOlderThan(restConfig *rest.Config, than *utilversion.Version) (bool, error) {
	client, err := discovery.NewDiscoveryClientForConfig(restConfig)
	if err != nil {
		return false, err
	}
	info, err := client.ServerVersion()
	if err != nil {
		return false, err
	}
	is, err := utilversion.ParseSemantic(info.GitVersion)
	return err == nil && is.LessThan(than), err
}

// startManager installs the generated roles and starts the manager as the service account that is bound to them, so
// that whatever the manager lacks fails here.
func (c *cluster) startManager(ctx context.Context, restConfig *rest.Config, scheme *runtime.Scheme) error {
	restricted := map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}
	for name, labels := range map[string]map[string]string{testNamespace: nil, "zfsbench-system": nil,
		config.DefaultClaimNamespace: restricted, config.DefaultDriverNamespace: nil} {
		if err := c.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}); err != nil {
			return fmt.Errorf("create namespace: %w", err)
		}
	}
	for _, file := range []string{
		"../config/rbac/role.yaml", "../config/rbac/role_binding.yaml", "../config/csi/role.yaml",
		"../config/csi/admission.yaml", "../config/csi/volumes.yaml",
		"../config/admission/results.yaml", "../config/admission/consent.yaml",
	} {
		if err := c.install(ctx, file); err != nil {
			return err
		}
	}
	asManager := rest.CopyConfig(restConfig)
	asManager.Impersonate = rest.ImpersonationConfig{
		UserName: "system:serviceaccount:zfsbench-system:zfs-benchmark-operator",
		Groups:   []string{"system:serviceaccounts", "system:authenticated"},
	}
	c.requests = &requestCount{}
	asManager.Wrap(c.requests.of)
	var err error
	if c.manager, err = client.New(asManager, client.Options{Scheme: scheme}); err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(asManager, ctrl.Options{
		Scheme: scheme, Cache: CacheOptions(testConfig()), Metrics: metricsserver.Options{BindAddress: "0"},
	})
	if err != nil {
		return fmt.Errorf("make manager: %w", err)
	}
	if err := Setup(mgr, testConfig(), "test"); err != nil {
		return err
	}
	go func() {
		if err := mgr.Start(ctx); err != nil {
			fmt.Fprintln(os.Stderr, "manager:", err)
		}
	}()
	return nil
}

func testConfig() config.Manager {
	return config.Manager{
		RunnerNamespace: testNamespace,
		Runner:          config.Runner{Image: "example/zfsbench-runner:v0.1.0", ImagePullPolicy: corev1.PullIfNotPresent},
		Scratch:         config.Scratch{Directory: config.DefaultScratchDirectory, SizeLimit: resource.MustParse("4Gi")},
		MaxTimeout:      metav1.Duration{Duration: config.DefaultMaxTimeout},

		DiscoveryInterval: metav1.Duration{Duration: config.DefaultDiscoveryInterval},
		CSI: config.CSI{Enabled: true, Namespace: config.DefaultClaimNamespace,
			DriverNamespace: config.DefaultDriverNamespace},
	}
}

// install creates the roles, policies and bindings of a file.
func (c *cluster) install(ctx context.Context, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	for {
		var raw runtime.RawExtension
		if err := decoder.Decode(&raw); err != nil {
			return nil //nolint:nilerr // the end of the file
		}
		object, _, err := clientgoscheme.Codecs.UniversalDeserializer().Decode(raw.Raw, nil, nil)
		if err != nil {
			return fmt.Errorf("decode %s: %w", file, err)
		}
		switch object.(type) {
		case *rbacv1.ClusterRole, *rbacv1.Role, *rbacv1.ClusterRoleBinding, *rbacv1.RoleBinding:
		case *admissionv1.ValidatingAdmissionPolicy, *admissionv1.ValidatingAdmissionPolicyBinding:
		default:
			return fmt.Errorf("%s holds a %T", file, object)
		}
		if err := c.Create(ctx, object.(client.Object)); err != nil {
			return fmt.Errorf("create %s: %w", file, err)
		}
	}
}

// patience is how long a test waits for what it expects.
const patience = 30 * time.Second

// eventually calls check until it returns nil.
func eventually(t *testing.T, check func() error) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := check()
		if err == nil {
			return
		}
		select {
		case <-deadline:
			t.Fatal(err)
		case <-tick.C:
		}
	}
}
