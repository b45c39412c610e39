// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// TestRunWithoutKubernetes runs a mirror with `runner run`, which knows no API: consent is a policy in the same file,
// results are files. It runs in the shell's pod, whose name is the host's name there.
func TestRunWithoutKubernetes(t *testing.T) {
	const dir = shellScratch + "/run"
	b := newBenchmark("command-line").disks(v1alpha1.VdevMirror, 2).seqWrite().seqRead()
	inPod(t, "mkdir", "-p", dir)
	// What is on the disks is known to the operator's runner, not to one with another scratch directory; and the reverse.
	blank(t, suite.disks[:2]...)
	t.Cleanup(func() {
		inPod(t, "rm", "-rf", dir)
		blank(t, suite.disks[:2]...)
		assertNodeClean(t)
	})
	inPod(t, "sh", "-c", `printf %s "$0" > `+dir+"/bench.yaml", manifest(t, b, suite.shell.pod))

	summary := inPod(t, "runner", "run", "-f", dir+"/bench.yaml", "--out", dir+"/out", "--scratch", dir+"/scratch")

	if !strings.HasPrefix(summary, "# command-line: Complete") {
		t.Errorf("the summary is:\n%s", summary)
	}
	var trial result.Trial
	if err := json.Unmarshal([]byte(inPod(t, "cat", dir+"/out/trials/trial-00000.json")), &trial); err != nil {
		t.Fatal(err)
	}
	if len(trial.Samples) != 2 || trial.Failure != nil || trial.Samples[0].Write.Bytes != seqBytes ||
		trial.Samples[1].Read.Bytes != seqBytes {
		t.Errorf("the trial is %+v", trial)
	}
	for _, name := range []string{"summary.md", "results.csv", "results.json", "plan.json", "progress.json",
		"series/trial-00000-seq-write.json.gz", "series/trial-00000-seq-read.json.gz"} {
		inPod(t, "test", "-s", dir+"/out/"+name)
	}
	if left := inPod(t, "ls", dir+"/scratch"); strings.TrimSpace(left) != "lock\nresidues" {
		t.Errorf("left in the scratch directory: %s", left)
	}
}

// manifest is a benchmark for a host, with the policy that lets it use the disks.
func manifest(t *testing.T, b benchmark, host string) string {
	t.Helper()
	b.obj.TypeMeta = metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "ZfsBenchmark"}
	b.obj.Spec.Nodes.Names = []string{host}
	policy := v1alpha1.BenchmarkDevicePolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "BenchmarkDevicePolicy"},
		ObjectMeta: metav1.ObjectMeta{Name: "e2e"},
		Spec: v1alpha1.BenchmarkDevicePolicySpec{
			Node:       v1alpha1.PolicyNode{Name: host, UID: "none"},
			Namespaces: []string{benchNamespace},
			Devices:    []v1alpha1.PolicyDevice{suite.disks[0].consent(), suite.disks[1].consent()},
		},
	}
	var documents []string
	for _, object := range []any{b.obj, policy} {
		text, err := yaml.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, string(text))
	}
	return strings.Join(documents, "---\n")
}
