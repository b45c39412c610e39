// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/validate"
)

const disks = `
apiVersion: zfsbench.io/v1alpha1
kind: ZfsBenchmark
metadata: {name: b, namespace: default}
spec:
  nodes: {names: [storage-0]}
  devices:
    - {name: d0, path: /dev/disk/by-id/x}
    - {name: d1, path: /dev/disk/by-id/y}
    - {name: d2, path: /dev/disk/by-id/z}
  pool:
    vdevs: [{type: mirror, devices: [d0, d1]}]
    log: [{type: stripe, devices: [d2], ashift: 12}]
  repetitions: {min: 6}
  workloads:
    - {name: w, fio: {rw: write, bs: 128k, size: 128Mi, numJobs: 2, runtime: 10s, timeBased: true}}
    - {name: fill, pool: {fill: {percent: 50}}}
`

const offer = `
apiVersion: zfsbench.io/v1alpha1
kind: BenchmarkDevicePolicy
metadata: {name: p}
spec:
  node: {name: storage-0, uid: u0}
  namespaces: [default]
  devices:
    - {path: /dev/disk/by-id/x, serial: s0, size: 1Gi}
    - {path: /dev/disk/by-id/y, serial: s1, size: 1Gi}
    - {path: /dev/disk/by-id/z, serial: s2, size: 1Gi}
`

func read(t *testing.T, text string) *v1alpha1.ZfsBenchmark {
	t.Helper()
	b, err := validate.ReadBenchmark([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func policies(t *testing.T, texts ...string) []v1alpha1.BenchmarkDevicePolicy {
	t.Helper()
	all := []v1alpha1.BenchmarkDevicePolicy{}
	for _, text := range texts {
		p, err := validate.ReadPolicy([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, *p)
	}
	return all
}

func node(name, uid string, allowed string) corev1.Node {
	return corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(uid),
		Labels: map[string]string{v1alpha1.LabelNodeAllowed: allowed, "pool": "fast"}}}
}

// rows are the cells of tables, a line for each row.
func rows(tables []metav1.Table) string {
	var all strings.Builder
	for _, table := range tables {
		for _, row := range table.Rows {
			for i, cell := range row.Cells {
				if i > 0 {
					all.WriteString(" | ")
				}
				all.WriteString(cell.(string))
			}
			all.WriteString("\n")
		}
	}
	return all.String()
}

const workloads = `w | Cold | fio write, blocks of 128k, size 128Mi, 2 processes, for 10s
fill | Cold | operation {"fill":{"percent":50,"method":"Sequential"}}
`

func TestOf(t *testing.T) {
	p, err := Of(Input{Benchmark: read(t, disks), Nodes: []corev1.Node{node("storage-0", "u0", "true")},
		Policies: policies(t, offer)})
	if err != nil {
		t.Fatal(err)
	}
	want := `storage-0 | Given | 6 | 1m0s | 22m12s | 1h6m36s
default | mirror d0 d1 log d2 | 432 MiB | 832 MiB | Yes
` + workloads
	if diff := cmp.Diff(want, rows(p.Tables())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if p.Refused() || len(p.Notes) > 0 {
		t.Errorf("%+v", p)
	}
	spec := p.Benchmark.Spec
	if spec.DevicePreparation != "Discard" || spec.Repetitions.Order != "Randomized" || !*spec.Workloads[0].Fio.EndFsync {
		t.Errorf("defaults are not filled in: %+v", spec)
	}
	if p.Benchmark.UID != "" || p.Kind != Kind {
		t.Errorf("UID %q, kind %q", p.Benchmark.UID, p.Kind)
	}
}

func TestRefused(t *testing.T) {
	const label = "Node storage-0 does not allow benchmarks: `kubectl label node storage-0 zfsbench.io/allowed=true` does."
	tests := map[string]struct {
		nodes    []corev1.Node
		policies []v1alpha1.BenchmarkDevicePolicy
		consent  Consent
		refused  string
		notes    int
	}{
		"no policy": {[]corev1.Node{node("storage-0", "u0", "true")}, policies(t), ConsentMissing,
			"No BenchmarkDevicePolicy lets namespace default overwrite d0 (/dev/disk/by-id/x)", 1},
		"another UID": {[]corev1.Node{node("storage-0", "u1", "true")}, policies(t, offer), ConsentMissing,
			"BenchmarkDevicePolicy p lists d0", 1},
		"no label":             {[]corev1.Node{node("storage-0", "u0", "")}, policies(t, offer), ConsentGiven, label, 0},
		"no node":              {[]corev1.Node{}, policies(t, offer), ConsentGiven, "Node storage-0 does not exist.", 0},
		"nothing is known":     {nil, nil, ConsentUnchecked, "", 2},
		"policies are unknown": {[]corev1.Node{node("storage-0", "u0", "true")}, nil, ConsentUnchecked, "", 2},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := Of(Input{Benchmark: read(t, disks), Nodes: test.nodes, Policies: test.policies})
			if err != nil {
				t.Fatal(err)
			}
			n := p.Nodes[0]
			if n.Consent != test.consent || !strings.HasPrefix(n.Refused, test.refused) || n.Trials != 6 ||
				p.Refused() != (test.refused != "") {
				t.Errorf("node %+v", n)
			}
			if len(p.Notes) != test.notes {
				t.Errorf("notes %q", p.Notes)
			}
			if known := test.consent == ConsentGiven; (p.Variants[0].Fits != "") != known {
				t.Errorf("fits %q", p.Variants[0].Fits)
			}
		})
	}
}

func TestSelector(t *testing.T) {
	b := read(t, strings.Replace(disks, "names: [storage-0]", "selector: {matchLabels: {pool: fast}}", 1))
	other := node("other", "u2", "true")
	other.Labels["pool"] = "slow"
	names := func(nodes []corev1.Node) string {
		t.Helper()
		p, err := Of(Input{Benchmark: b, Nodes: nodes})
		if err != nil {
			return err.Error()
		}
		var all []string
		for _, n := range p.Nodes {
			all = append(all, n.Name)
		}
		return strings.Join(all, ", ")
	}
	if got := names([]corev1.Node{node("a", "u0", "true"), other, node("b", "u1", "true")}); got != "a, b" {
		t.Error(got)
	}
	if got := names(nil); got != "each node with pool=fast" {
		t.Error(got)
	}
	const none = "spec.nodes.selector: no node has the labels pool=fast"
	if got := names([]corev1.Node{other}); !strings.HasPrefix(got, none) {
		t.Error(got)
	}
}

// TestSamples: every sample has a preview without any policy. So what a policy is assumed to say is enough.
func TestSamples(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.yaml", "experiments/*.yaml", "studies/*.yaml"} {
		found, err := filepath.Glob(filepath.Join("..", "..", "..", "config", "samples", pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	tried := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "\nkind: ZfsBenchmark\n") {
			continue
		}
		tried++
		t.Run(filepath.Base(file), func(t *testing.T) {
			p, err := Of(Input{Benchmark: read(t, string(text))})
			if err != nil {
				t.Fatal(err)
			}
			cells := rows(p.Tables())
			if strings.Contains(cells, "| \n") || strings.Contains(cells, "has no path") {
				t.Errorf("a cell is empty or an error:\n%s", cells)
			}
		})
	}
	if tried < 40 {
		t.Errorf("%d samples only", tried)
	}
}
