// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/uuid"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	specmanifest "zfsbench.io/operator/internal/spec/manifest"
)

// manifest is the content of the files of `runner run`.
type manifest struct {
	benchmark *v1alpha1.ZfsBenchmark
	policies  []v1alpha1.BenchmarkDevicePolicy
}

// readManifest reads all files; a name of - is standard input.
func readManifest(names []string, stdin io.Reader) (manifest, error) {
	documents, err := specmanifest.ReadFiles(names, stdin)
	if err != nil {
		return manifest{}, err
	}
	var m manifest
	if m.benchmark, m.policies, err = documents.Decode(); err != nil {
		return manifest{}, err
	}
	if m.benchmark.Namespace == "" {
		m.benchmark.Namespace = metav1.NamespaceDefault
	}
	return m, nil
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
