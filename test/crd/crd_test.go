// SPDX-License-Identifier: Apache-2.0

// Package crd_test installs the generated CRDs into a real API server and checks what it accepts and refuses. A CRD
// that the API server refuses, for its structure or for what its rules cost, fails every test here.
package crd_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/validate"
	"zfsbench.io/operator/internal/spec/validate/validatetest"
)

// shared is the API server of all tests of the package; starting one takes seconds.
var shared = &server{environment: &envtest.Environment{CRDDirectoryPaths: []string{"../../config/crd/bases"},
	ErrorIfCRDPathMissing: true}}

// server is an API server with etcd, from KUBEBUILDER_ASSETS, that starts when it is first asked for: within a test,
// because only what a test reads counts when go test decides whether an earlier result still holds.
type server struct {
	environment *envtest.Environment
	once        sync.Once
	client      client.Client
	err         error
}

func (s *server) start() {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		s.err = errors.New("KUBEBUILDER_ASSETS is not set: `make devcluster && bin/devcluster assets` builds " +
			"kube-apiserver and etcd and prints where they are")
		return
	}
	config, err := s.environment.Start()
	if err != nil {
		s.err = fmt.Errorf("start API server and install CRDs: %w", err)
		return
	}
	config.QPS = -1 // thousands of requests, to a server of our own
	s.client, s.err = client.New(config, client.Options{})
}

// apiserver returns a client, or fails the test.
func apiserver(t *testing.T) client.Client {
	t.Helper()
	shared.once.Do(shared.start)
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.client
}

func TestMain(m *testing.M) {
	code := m.Run()
	if err := shared.environment.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "stop API server:", err)
		code = 1
	}
	os.Exit(code)
}

func TestBenchmark(t *testing.T) {
	for name, c := range validatetest.Benchmarks() {
		t.Run(name, func(t *testing.T) { createCase(t, c, validatetest.Benchmark) })
	}
}

func TestPolicy(t *testing.T) {
	for name, c := range validatetest.Policies() {
		t.Run(name, func(t *testing.T) { createCase(t, c, validatetest.Policy) })
	}
}

func TestBenchmarkUpdate(t *testing.T) {
	created := object(t, validatetest.Case{}, validatetest.Benchmark)
	created.SetName("update")
	if err := apiserver(t).Create(t.Context(), created); err != nil {
		t.Fatal(err)
	}
	for name, u := range validatetest.Updates() {
		t.Run(name, func(t *testing.T) {
			patch, err := yaml.YAMLToJSON([]byte(u.Patch))
			if err != nil {
				t.Fatal(err)
			}
			err = apiserver(t).Patch(t.Context(), created.DeepCopy(), client.RawPatch(types.MergePatchType, patch),
				client.DryRunAll)
			check(t, validatetest.Case{Field: u.Field, Message: u.Message}, err)
		})
	}
}

// TestUpdateOfTheLargest checks that the rules about changes, which compare the old spec with the new one, are within
// the API server's budget too.
func TestUpdateOfTheLargest(t *testing.T) {
	largest := object(t, validatetest.General()["the largest"], validatetest.Benchmark)
	largest.SetName("largest")
	if err := apiserver(t).Create(t.Context(), largest); err != nil {
		t.Fatal(err)
	}
	tests := map[string]validatetest.Update{
		"suspended": {Patch: `{"spec": {"suspend": true}}`},
		"another matrix": {Patch: `{"spec": {"matrix": {"exclude": null}}}`, Field: "spec.matrix",
			Message: "matrix is immutable"},
	}
	for name, u := range tests {
		t.Run(name, func(t *testing.T) {
			err := apiserver(t).Patch(t.Context(), largest.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(u.Patch)),
				client.DryRunAll)
			check(t, validatetest.Case{Field: u.Field, Message: u.Message}, err)
		})
	}
}

// createCase asks the API server to create the case's manifest, in a dry run, which does all of the validation and
// stores nothing.
func createCase(t *testing.T, c validatetest.Case, base string) {
	t.Helper()
	err := apiserver(t).Create(t.Context(), object(t, c, base), client.DryRunAll,
		client.FieldValidation(metav1.FieldValidationStrict))
	if c.GoOnly != "" {
		c.Field, c.Message = "", ""
	}
	check(t, c, err)
}

func object(t *testing.T, c validatetest.Case, base string) *unstructured.Unstructured {
	t.Helper()
	manifest, err := c.Manifest(base)
	if err != nil {
		t.Fatal(err)
	}
	var u unstructured.Unstructured
	if err := json.Unmarshal(manifest, &u.Object); err != nil {
		t.Fatal(err)
	}
	return &u
}

// check compares what the API server says with what the case wants.
func check(t *testing.T, c validatetest.Case, err error) {
	t.Helper()
	if !c.Refused() {
		if err != nil {
			t.Errorf("refused: %v", err)
		}
		return
	}
	if err == nil {
		t.Fatalf("accepted; want an error at %q with %q", c.Field, c.Message)
	}
	for _, broken := range []string{"evaluating rule", "cost budget", "call cost", "did not match a supported",
		"failed rule"} {
		if strings.Contains(err.Error(), broken) {
			t.Errorf("a rule broke: %v", err)
		}
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		t.Fatalf("no answer from the API server: %v", err)
	}
	if details := status.Status().Details; details != nil {
		for _, cause := range details.Causes {
			fieldMatches := c.Field == "" || cause.Field == c.Field
			if fieldMatches && strings.Contains(inNewWords(cause.Message), c.Message) {
				return
			}
		}
	}
	if c.Field != "" || !strings.Contains(inNewWords(err.Error()), c.Message) {
		t.Errorf("got %v\nwant an error at %q with %q", err, c.Field, c.Message)
	}
}

// inNewWords is an API server's message in the words of Kubernetes 1.32 and later. Before, the message about a text
// that is too long had the same number in other words.
func inNewWords(message string) string {
	return strings.ReplaceAll(message, "Too long: may not be longer than", "Too long: may not be more than")
}

// TestDefaults checks that the API server's defaults equal validate.Defaults. fio's defaults are not the API
// server's: it could not tell them from what somebody wrote, which wins over a preset.
func TestDefaults(t *testing.T) {
	u := object(t, validatetest.Case{
		Patch: `{spec: {dataset: {}, repetitions: {}, comparison: {}, workloads: [{name: a, fio: {rw: write, size: 1Gi, bs: 4k, numJobs: 1, ioEngine: psync, ioDepth: 1, sync: None, endFsync: true}}]}}`,
	}, validatetest.Benchmark)
	want := decode(t, u)
	validate.Defaults(&want)
	if err := apiserver(t).Create(t.Context(), u, client.DryRunAll); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Spec, decode(t, u).Spec); diff != "" {
		t.Errorf("spec (-validate.Defaults +API server):\n%s", diff)
	}
}

func decode(t *testing.T, u *unstructured.Unstructured) v1alpha1.ZfsBenchmark {
	t.Helper()
	var b v1alpha1.ZfsBenchmark
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.DeepCopy().Object, &b); err != nil {
		t.Fatal(err)
	}
	return b
}
