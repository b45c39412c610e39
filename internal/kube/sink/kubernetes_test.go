// SPDX-License-Identifier: Apache-2.0

package sink

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// api is the real API server that these tests share.
var api *rest.Config

func TestMain(m *testing.M) {
	env := &envtest.Environment{}
	config, err := env.Start()
	if err != nil {
		fmt.Fprintln(os.Stderr, "start the API server (KUBEBUILDER_ASSETS names the folder of its programs):", err)
		os.Exit(1)
	}
	api = config
	code := m.Run()
	if err := env.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "stop the API server:", err)
		code = 1
	}
	os.Exit(code)
}

const digest = "sha256:ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356"

// bench is a namespace with the objects that the manager makes for one plan.
type bench struct {
	run    jobspec.Run
	admin  kubernetes.Interface
	config *rest.Config
}

// newBench makes the objects in a namespace of their own. The config uses the runner's service account.
func newBench(t *testing.T) bench {
	t.Helper()
	ctx := t.Context()
	admin, err := kubernetes.NewForConfig(api)
	if err != nil {
		t.Fatal(err)
	}
	ns, err := admin.CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "runners-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	run := jobspec.Run{
		Namespace: ns.Name,
		Plan: plan.Plan{Benchmark: plan.Benchmark{Namespace: "default", Name: "b",
			UID: "0c7c9a41-8a2e-4fbb-9f4d-1f2d3c4b5a69"}, Node: plan.Node{Name: "storage-0"}},
		PlanJSON: "{}", Digest: digest, Shards: 2,
	}
	owner, err := admin.CoreV1().ConfigMaps(ns.Name).Create(ctx, run.PlanConfigMap(), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	run.PlanUID = owner.UID
	for _, cm := range append(run.ResultsConfigMaps(), run.ProgressConfigMap("")) {
		if _, err := admin.CoreV1().ConfigMaps(ns.Name).Create(ctx, cm, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := admin.RbacV1().Roles(ns.Name).Create(ctx, run.Role(), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.RbacV1().RoleBindings(ns.Name).Create(ctx, run.RoleBinding(), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	config := rest.CopyConfig(api)
	config.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + ns.Name + ":" + run.Base()}
	return bench{run: run, admin: admin, config: config}
}

// sink is the runner's own, with what its role allows and nothing else.
func (b bench) sink(t *testing.T) *Kubernetes {
	t.Helper()
	client, err := NewClient(b.config, b.run.Namespace)
	if err != nil {
		t.Fatal(err)
	}
	return &Kubernetes{
		Client:     client,
		Base:       b.run.Base(),
		Shard:      func(index int) int { return index % b.run.Shards },
		TrialBytes: plan.TrialBytes(b.run.Plan),
		Log:        slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
}

// configMap reads one as the manager does.
func (b bench) configMap(t *testing.T, name string) *corev1.ConfigMap {
	t.Helper()
	cm, err := b.admin.CoreV1().ConfigMaps(b.run.Namespace).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return cm
}

func (b bench) progress(t *testing.T) *corev1.ConfigMap {
	t.Helper()
	return b.configMap(t, jobspec.ProgressName(b.run.Base()))
}

func ownership() result.Ownership {
	return result.Ownership{
		Version: result.Version, BenchmarkUID: "0c7c9a41-8a2e-4fbb-9f4d-1f2d3c4b5a69", PlanDigest: digest,
		PoolName:    "zfsbench-0c7c9a41-0",
		PoolComment: "0c7c9a418a2e4fbb9f4d1f2d3c4b5a69", Datasets: []string{"zfsbench-0c7c9a41-0"},
		Devices: []result.OwnedDevice{{Name: "f0", File: "/var/lib/zfsbench/x/f0", SizeBytes: 1 << 30}},
	}
}

func TestOwnership(t *testing.T) {
	b := newBench(t)
	s := b.sink(t)
	if got, err := s.Ownership(t.Context()); got != nil || err != nil {
		t.Fatalf("at first: %v, %v", got, err)
	}
	want := ownership()
	if err := s.PutOwnership(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	got, err := s.Ownership(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	inAPI, err := result.DecodeOwnership([]byte(b.progress(t).Data[jobspec.KeyOwnership]))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, inAPI); diff != "" {
		t.Errorf("in the API (-want +got):\n%s", diff)
	}
	if err := s.ClearOwnership(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, there := b.progress(t).Data[jobspec.KeyOwnership]; there {
		t.Error("the key is still there")
	}
}

func TestProgress(t *testing.T) {
	b := newBench(t)
	s := b.sink(t)
	if got, err := s.Progress(t.Context()); got != nil || err != nil {
		t.Fatalf("at first: %v, %v", got, err)
	}
	if err := s.PutOwnership(t.Context(), ownership()); err != nil {
		t.Fatal(err)
	}
	want := result.Progress{Version: result.Version, PlanDigest: digest, State: result.StateRunning, Completed: 3,
		Started: time.Unix(1e9, 0).UTC()}
	if err := s.PutProgress(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	got, err := s.Progress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if b.progress(t).Data[jobspec.KeyOwnership] == "" {
		t.Error("progress has removed the ownership")
	}
}

func TestTrialsGoToTheirShard(t *testing.T) {
	b := newBench(t)
	s := b.sink(t)
	for index := range 3 {
		trial := result.Trial{Version: result.Version, PlanDigest: digest, Index: index, Variant: "default",
			Node: "storage-0"}
		for range 2 { // sending again changes nothing
			if err := s.PutTrial(t.Context(), trial); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := map[string][]int{}
	for shard := range 2 {
		name := jobspec.ResultsName(b.run.Base(), shard)
		for key, data := range b.configMap(t, name).BinaryData {
			trial, err := result.DecodeTrial(data, 1)
			if err != nil || key != result.TrialKey(trial.Index) {
				t.Fatalf("key %s: %v", key, err)
			}
			got[fmt.Sprint(shard)] = append(got[fmt.Sprint(shard)], trial.Index)
		}
	}
	if len(got["0"]) != 2 || len(got["1"]) != 1 || got["1"][0] != 1 {
		t.Errorf("trials by shard: %v", got)
	}
}

func TestSuspendRequested(t *testing.T) {
	b := newBench(t)
	s := b.sink(t)
	if got, err := s.SuspendRequested(t.Context()); got || err != nil {
		t.Fatalf("at first: %v, %v", got, err)
	}
	cm := b.progress(t)
	cm.Annotations = map[string]string{jobspec.AnnotationSuspend: "true"}
	if _, err := b.admin.CoreV1().ConfigMaps(b.run.Namespace).Update(t.Context(), cm, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if got, err := s.SuspendRequested(t.Context()); !got || err != nil {
		t.Errorf("asked for: %v, %v", got, err)
	}
}

func TestForgottenDevices(t *testing.T) {
	b := newBench(t)
	s := b.sink(t)
	if got, err := s.ForgottenDevices(t.Context()); len(got) > 0 || err != nil {
		t.Fatalf("at first: %v, %v", got, err)
	}
	cm := b.progress(t)
	cm.Annotations = map[string]string{jobspec.AnnotationForget: "S1, /dev/disk/by-id/a,,"}
	if _, err := b.admin.CoreV1().ConfigMaps(b.run.Namespace).Update(t.Context(), cm, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	got, err := s.ForgottenDevices(t.Context())
	if diff := cmp.Diff([]string{"S1", "/dev/disk/by-id/a"}, got); diff != "" || err != nil {
		t.Errorf("given up (-want +got):\n%s, error %v", diff, err)
	}
}

func TestConfigMapIsGone(t *testing.T) {
	b := newBench(t)
	b.config.Impersonate = rest.ImpersonationConfig{} // the role would forbid what is not there
	admin := b.sink(t)
	admin.Base += "x"
	if err := admin.PutOwnership(t.Context(), ownership()); !apierrors.IsNotFound(err) {
		t.Errorf("put: %v", err)
	}
	if err := admin.ClearOwnership(t.Context()); err != nil {
		t.Errorf("clear: %v", err)
	}
	if got, err := admin.Ownership(t.Context()); got != nil || err != nil {
		t.Errorf("get: %v, %v", got, err)
	}
	if _, err := admin.SuspendRequested(t.Context()); !apierrors.IsNotFound(err) {
		t.Errorf("suspension: %v", err)
	}
}

// outage makes every request fail until it has failed this often.
type outage struct {
	http.RoundTripper
	left *atomic.Int32
}

func (o outage) RoundTrip(r *http.Request) (*http.Response, error) {
	if o.left.Add(-1) >= 0 {
		return nil, errors.New("the network is down")
	}
	return o.RoundTripper.RoundTrip(r)
}

func TestOutageIsWaitedFor(t *testing.T) {
	b := newBench(t)
	var failures atomic.Int32
	failures.Store(3)
	b.config.Wrap(func(rt http.RoundTripper) http.RoundTripper { return outage{rt, &failures} })
	var log strings.Builder
	s := b.sink(t)
	s.Log = slog.New(slog.NewTextHandler(&log, nil))
	if err := s.PutOwnership(t.Context(), ownership()); err != nil {
		t.Fatal(err)
	}
	if b.progress(t).Data[jobspec.KeyOwnership] == "" {
		t.Error("nothing in the API")
	}
	if strings.Count(log.String(), "\n") != 2 || !strings.Contains(log.String(), "the network is down") {
		t.Errorf("log: %s", &log)
	}
}

func TestOutageThatOutlastsTheContext(t *testing.T) {
	b := newBench(t)
	var failures atomic.Int32
	failures.Store(1 << 30)
	b.config.Wrap(func(rt http.RoundTripper) http.RoundTripper { return outage{rt, &failures} })
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	err := b.sink(t).PutOwnership(ctx, ownership())
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "the network is down") {
		t.Errorf("error %v", err)
	}
}

func TestNothingButItsOwnConfigMaps(t *testing.T) {
	b := newBench(t)
	s := b.sink(t)
	s.Base = "other"
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if err := s.PutOwnership(ctx, ownership()); !apierrors.IsForbidden(err) {
		t.Errorf("error %v", err)
	}
}
