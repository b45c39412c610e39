// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/google/uuid"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/spec/validate"
)

// manifest is the content of the files of `runner run`.
type manifest struct {
	benchmark *v1alpha1.ZfsBenchmark
	policies  []v1alpha1.BenchmarkDevicePolicy
}

// readManifest reads all files; a name of - is standard input.
func readManifest(names []string, stdin io.Reader) (manifest, error) {
	var m manifest
	for _, name := range names {
		if err := m.readFile(name, stdin); err != nil {
			return manifest{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	if m.benchmark == nil {
		return manifest{}, errors.New("no ZfsBenchmark in " + strings.Join(names, ", "))
	}
	if m.benchmark.Namespace == "" {
		m.benchmark.Namespace = metav1.NamespaceDefault
	}
	return m, nil
}

func (m *manifest) readFile(name string, stdin io.Reader) error {
	if name == "-" {
		return m.read(stdin)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return m.read(f)
}

// read reads documents of one stream. Anything but one ZfsBenchmark and any number of BenchmarkDevicePolicies is an
// error.
func (m *manifest) read(r io.Reader) error {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(r))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := m.add(document); err != nil {
			return err
		}
	}
}

func (m *manifest) add(document []byte) error {
	var meta metav1.TypeMeta
	if err := yaml.Unmarshal(document, &meta); err != nil {
		return err
	}
	if meta == (metav1.TypeMeta{}) && isEmpty(document) {
		return nil
	}
	if meta.APIVersion != v1alpha1.GroupVersion.String() {
		return fmt.Errorf("apiVersion %q is not %s", meta.APIVersion, v1alpha1.GroupVersion)
	}
	switch meta.Kind {
	case "ZfsBenchmark":
		if m.benchmark != nil {
			return errors.New("there is more than one ZfsBenchmark; give one at a time")
		}
		var err error
		m.benchmark, err = validate.ReadBenchmark(document)
		return err
	case "BenchmarkDevicePolicy":
		policy, err := validate.ReadPolicy(document)
		if err != nil {
			return err
		}
		m.policies = append(m.policies, *policy)
		return nil
	}
	return fmt.Errorf("kind %q is neither ZfsBenchmark nor BenchmarkDevicePolicy", meta.Kind)
}

// isEmpty says whether a document holds nothing but comments.
func isEmpty(document []byte) bool {
	var content any
	return yaml.Unmarshal(document, &content) == nil && content == nil
}

// plan makes the plan for this host. The benchmark gets a UID that depends only on host, namespace and name, so that
// the next run finds what an earlier one has left. A UID in the file is ignored: it belongs to an object in a cluster,
// which has another journal.
func (m *manifest) plan(host string, scratch plan.Scratch) (plan.Plan, error) {
	host = strings.ToLower(host)
	if names := m.benchmark.Spec.Nodes.Names; len(names) > 0 && !slices.Contains(names, host) {
		return plan.Plan{}, fmt.Errorf("this host is %s; the benchmark is for %s", host, strings.Join(names, ", "))
	}
	b := m.benchmark.DeepCopy()
	b.UID = types.UID(uuid.NewSHA1(uuid.NameSpaceURL, []byte("zfsbench.io/run/"+host+"/"+b.Namespace+"/"+b.Name)).String())
	p, err := plan.Build(plan.Input{
		Benchmark: b, Node: plan.Node{Name: host}, Policies: m.policies, Defaults: plan.Defaults{Scratch: scratch},
	})
	if err != nil {
		return plan.Plan{}, err
	}
	if i := slices.IndexFunc(p.Variants, plan.Variant.Claims); i >= 0 {
		return plan.Plan{}, fmt.Errorf("variant %s is a persistent volume, which only the operator claims, in Kubernetes: "+
			"apply the benchmark to a cluster, or leave the variant out", p.Variants[i].Name)
	}
	return p, nil
}
