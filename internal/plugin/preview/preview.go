// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/config"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/spec/validate"
)

// Input is what is known before a benchmark runs.
type Input struct {
	// Benchmark is valid. What is not set counts as its default.
	Benchmark *v1alpha1.ZfsBenchmark
	// NamespaceUID is that of the benchmark's namespace; empty if it is not known.
	NamespaceUID string
	// Nodes are all nodes of the cluster; nil if they are not known.
	Nodes []corev1.Node
	// Policies are all policies; nil if they are not known, and consent is then not checked.
	Policies []v1alpha1.BenchmarkDevicePolicy
	// Storages are what discoveries found on the nodes, as far as that is known. They decide which disks of a class are
	// free.
	Storages []v1alpha1.NodeStorage
}

// Preview is what a benchmark would do. Of and Tables are the only code that depends on its fields: programs read it as
// YAML or JSON.
type Preview struct {
	metav1.TypeMeta `json:",inline"`
	// Benchmark has every default filled in. Its status is empty.
	Benchmark v1alpha1.ZfsBenchmark `json:"benchmark"`
	Nodes     []Node                `json:"nodes"`
	// Variants are those of the first node. They differ between nodes only in their space, if the disks differ.
	Variants []Variant `json:"variants"`
	// Notes are sentences on what could not be checked, and what was assumed in its place.
	Notes []string `json:"notes,omitempty"`
}

// Consent says whether policies allow a benchmark on a node.
type Consent string

// Whether policies allow a benchmark on a node.
const (
	ConsentGiven     Consent = "Given"
	ConsentMissing   Consent = "Missing"
	ConsentUnchecked Consent = "Unchecked"
)

// Node is what would happen on one node.
type Node struct {
	Name    string  `json:"name"`
	Consent Consent `json:"consent"`
	// Refused says in sentences why the benchmark would not start on the node; empty if nothing known speaks against it.
	Refused string `json:"refused,omitempty"`
	// Trials is the most that can be needed.
	Trials int `json:"trials"`
	// LeastSeconds is the time on the fastest disks, SlowSeconds that on slow ones (plan.SlowDisk), TimeoutSeconds the
	// limit on the running time.
	LeastSeconds   int64 `json:"leastSeconds"`
	SlowSeconds    int64 `json:"slowSeconds"`
	TimeoutSeconds int64 `json:"timeoutSeconds"`
}

// Variant is a variant with the space that it takes.
type Variant struct {
	plan.Variant `json:",inline"`
	// NeededBytes is what a trial stores at most, with metadata.
	NeededBytes int64 `json:"neededBytes"`
	// UsableBytes is what the pool or filesystem has room for, and Fits whether that is enough: Yes, No or Maybe. Both are
	// empty while the sizes of the disks are not known.
	UsableBytes int64  `json:"usableBytes,omitempty"`
	Fits        string `json:"fits,omitempty"`
}

// The type of a Preview in YAML and JSON. It is no object of the API server.
const (
	APIVersion = "cli.zfsbench.io/v1alpha1"
	Kind       = "BenchmarkPreview"
)

// noUID stands for the UID of a benchmark that does not exist.
const noUID = "00000000-0000-0000-0000-000000000000"

// Of computes the preview of a benchmark. It returns an error if no plan can be made, whatever policies say.
func Of(in Input) (Preview, error) {
	b := in.Benchmark.DeepCopy()
	validate.Defaults(b)
	b.Status, b.ManagedFields = v1alpha1.ZfsBenchmarkStatus{}, nil
	b.UID = cmp.Or(b.UID, noUID)
	in.Benchmark = b
	p := Preview{TypeMeta: metav1.TypeMeta{APIVersion: APIVersion, Kind: Kind}, Benchmark: *b}
	nodes, err := in.candidates()
	if err != nil {
		return Preview{}, err
	}
	for i, c := range nodes {
		planned, node, err := in.node(c)
		if err != nil {
			return Preview{}, err
		}
		p.Nodes = append(p.Nodes, node)
		if i == 0 {
			p.Variants = variants(planned, node)
		}
		p.Notes = append(p.Notes, notes(planned, node)...)
	}
	slices.Sort(p.Notes)
	p.Notes = slices.Compact(p.Notes)
	if p.Benchmark.UID == noUID {
		p.Benchmark.UID = ""
	}
	return p, nil
}

// Refused says whether any node would not start the benchmark.
func (p Preview) Refused() bool {
	return slices.ContainsFunc(p.Nodes, func(n Node) bool { return n.Refused != "" })
}

// candidate is a node that the benchmark asks for.
type candidate struct {
	plan.Node
	// label is what a preview calls it.
	label   string
	refused string
}

// candidates are the nodes that the benchmark asks for. Without a list of the cluster's nodes, one node stands for all
// that a selector matches.
func (in Input) candidates() ([]candidate, error) {
	spec := in.Benchmark.Spec.Nodes
	if len(spec.Names) > 0 {
		var all []candidate
		for _, name := range spec.Names {
			all = append(all, in.named(name))
		}
		return all, nil
	}
	text := metav1.FormatLabelSelector(spec.Selector)
	if in.Nodes == nil {
		return []candidate{{Node: plan.Node{Name: "node"}, label: "each node with " + text}}, nil
	}
	selector, err := metav1.LabelSelectorAsSelector(spec.Selector)
	if err != nil {
		return nil, fmt.Errorf("spec.nodes.selector: %w", err)
	}
	var all []candidate
	for _, n := range in.Nodes {
		if selector.Matches(labels.Set(n.Labels)) {
			all = append(all, in.named(n.Name))
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("spec.nodes.selector: no node has the labels %s: `kubectl get nodes --show-labels` lists them",
			text)
	}
	return all, nil
}

// named is the node of a name.
func (in Input) named(name string) candidate {
	c := candidate{Node: plan.Node{Name: name}, label: name}
	if in.Nodes == nil {
		return c
	}
	i := slices.IndexFunc(in.Nodes, func(n corev1.Node) bool { return n.Name == name })
	if i < 0 {
		c.refused = fmt.Sprintf("Node %s does not exist.", name)
		return c
	}
	c.UID = string(in.Nodes[i].UID)
	if in.Nodes[i].Labels[v1alpha1.LabelNodeAllowed] != "true" {
		c.refused = fmt.Sprintf("Node %s does not allow benchmarks: `kubectl label node %s %s=true` does.", name, name,
			v1alpha1.LabelNodeAllowed)
	}
	return c
}

// node plans the benchmark for a node. Where consent is missing or not known, the plan assumes it.
func (in Input) node(c candidate) (plan.Plan, Node, error) {
	n := Node{Name: c.label, Consent: ConsentUnchecked, Refused: c.refused}
	build := plan.Input{Benchmark: in.Benchmark, NamespaceUID: in.NamespaceUID, Node: c.Node, Policies: in.Policies,
		// The manager's own limit on files is not known.
		Defaults: plan.Defaults{Scratch: plan.Scratch{Directory: config.DefaultScratchDirectory, LimitBytes: math.MaxInt64}}}
	i := slices.IndexFunc(in.Storages, func(s v1alpha1.NodeStorage) bool { return s.Name == c.Name })
	if i >= 0 {
		build.Storage = &in.Storages[i]
	}
	if in.Policies != nil {
		n.Consent = ConsentGiven
		var missing *plan.ConsentError
		if _, err := plan.Consent(build); errors.As(err, &missing) {
			n.Consent = ConsentMissing
			n.Refused = join(n.Refused, missing.Message)
		} else if err != nil {
			return plan.Plan{}, Node{}, err
		}
	}
	if n.Consent != ConsentGiven {
		policy, err := assume(in.Benchmark, c.Node)
		if err != nil {
			return plan.Plan{}, Node{}, err
		}
		build.Policies, build.Storage = []v1alpha1.BenchmarkDevicePolicy{policy}, nil
	}
	p, err := plan.Build(build)
	if err != nil {
		return plan.Plan{}, Node{}, err
	}
	n.Trials = plan.MostTrials(p)
	n.LeastSeconds = int64(plan.LeastDuration(p) / time.Second)
	n.SlowSeconds = int64(plan.EstimateDuration(plan.Expand(p, nil)) / time.Second)
	n.TimeoutSeconds = p.TimeoutSeconds
	return p, n, nil
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}

// variants are a plan's, with the space that they take. Sizes of disks that are assumed say nothing about it.
func variants(p plan.Plan, n Node) []Variant {
	expanded, known := plan.Expand(p, nil), n.Consent == ConsentGiven || !p.HasDisks()
	var all []Variant
	for _, v := range p.Variants {
		space := plan.EstimateSpace(expanded, v)
		variant := Variant{Variant: v, NeededBytes: space.NeededBytes}
		if known {
			variant.UsableBytes = space.UsableBytes
			variant.Fits = map[plan.Fit]string{plan.FitYes: "Yes", plan.FitMaybe: "Maybe", plan.FitNo: "No"}[space.Fit]
		}
		all = append(all, variant)
	}
	return all
}

// notes say what was assumed.
func notes(p plan.Plan, n Node) []string {
	var all []string
	if n.Consent == ConsentUnchecked {
		all = append(all, "Whether a BenchmarkDevicePolicy offers what the benchmark uses was not checked.")
	}
	if n.Consent != ConsentGiven && p.HasDisks() {
		all = append(all, "The sizes of the disks are not known: what depends on them assumes 1 TiB for each.")
	}
	if p.HasRelativeSizes() {
		all = append(all, "Sizes relative to the node's memory are set on the node: until then they count as the whole pool.")
	}
	return all
}
