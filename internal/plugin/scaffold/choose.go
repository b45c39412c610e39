// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
)

// Cluster is what nodes and devices are chosen from.
type Cluster struct {
	Policies []v1alpha1.BenchmarkDevicePolicy
	Storages []v1alpha1.NodeStorage
}

// mostDisks is how many disks a first benchmark uses on a node: a mirror.
const mostDisks = 2

// Fill fills in the nodes and devices of values: disks that policies offer to the namespace and that a discovery found
// blank. A class comes first, because it works on several nodes; without one, the disks are those of one node. Nodes
// that are in the values stay. Without disks, the benchmark uses a file. The note says what was chosen, and why.
func (c Cluster) Fill(v *Values, namespace string) (note string, err error) {
	offered := c.offered(namespace, v.Nodes)
	if class, nodes := bestClass(offered); class != "" && covers(nodes, v.Nodes) {
		v.Nodes, v.Class, v.Count = nodes, class, perNode(offered, class, nodes)
		return fmt.Sprintf("The benchmark uses disks of class %s on %s.", class, strings.Join(nodes, ", ")), nil
	}
	nodes := slices.Sorted(maps.Keys(offered))
	switch {
	case len(nodes) == 0:
		return c.fillFile(v, namespace)
	case len(v.Nodes) > 1:
		return "", fmt.Errorf("the nodes %s have no class of disks in common that policies offer to namespace %s: put disks "+
			"of each into one with `kubectl zfsbench allow NODE --namespace %s --class CLASS`", strings.Join(v.Nodes, ", "),
			namespace, namespace)
	}
	v.Nodes = nodes[:1]
	for _, d := range alike(offered[nodes[0]]) {
		v.Devices = append(v.Devices, d.Path)
	}
	note = fmt.Sprintf("The benchmark uses disks of node %s.", nodes[0])
	if len(nodes) > 1 {
		note += " Other nodes have disks under other paths: to use several nodes, put their disks into a class."
	}
	return note, nil
}

// offered are the disks of each node that the namespace may use and that can be used now, sorted by path.
func (c Cluster) offered(namespace string, nodes []string) map[string][]v1alpha1.PolicyDevice {
	all := map[string][]v1alpha1.PolicyDevice{}
	for _, s := range c.Storages {
		if len(nodes) > 0 && !slices.Contains(nodes, s.Name) {
			continue
		}
		for _, p := range c.Policies {
			if p.Spec.Node != (v1alpha1.PolicyNode{Name: s.Name, UID: s.Status.NodeUID}) ||
				!slices.Contains(p.Spec.Namespaces, namespace) {
				continue
			}
			for _, d := range p.Spec.Devices {
				if plan.StateOf(d, s.Status.NodeInventory).State == v1alpha1.PolicyDeviceVerified {
					all[s.Name] = append(all[s.Name], d)
				}
			}
		}
		byPath := func(a, b v1alpha1.PolicyDevice) int {
			return cmp.Or(cmp.Compare(a.Path, b.Path), -cmp.Compare(a.Class, b.Class))
		}
		slices.SortFunc(all[s.Name], byPath)
	}
	maps.DeleteFunc(all, func(_ string, d []v1alpha1.PolicyDevice) bool { return len(d) == 0 })
	return all
}

// bestClass is the class that most nodes have, and these nodes. Of equal ones it is the first by name.
func bestClass(offered map[string][]v1alpha1.PolicyDevice) (best string, nodes []string) {
	having := map[string][]string{}
	for _, node := range slices.Sorted(maps.Keys(offered)) {
		for _, d := range offered[node] {
			if d.Class != "" && !slices.Contains(having[d.Class], node) {
				having[d.Class] = append(having[d.Class], node)
			}
		}
	}
	for _, class := range slices.Sorted(maps.Keys(having)) {
		if len(having[class]) > len(nodes) {
			best, nodes = class, having[class]
		}
	}
	return best, nodes
}

// covers says whether all nodes that were asked for are among the nodes.
func covers(nodes, asked []string) bool {
	return !slices.ContainsFunc(asked, func(name string) bool { return !slices.Contains(nodes, name) })
}

// perNode is how many disks of a class each of the nodes can give.
func perNode(offered map[string][]v1alpha1.PolicyDevice, class string, nodes []string) int {
	count := mostDisks
	for _, node := range nodes {
		serials := map[string]bool{}
		for _, d := range offered[node] {
			if d.Class == class {
				serials[d.Serial] = true
			}
		}
		count = min(count, len(serials))
	}
	return count
}

// alike are the first disks of one size, each once: a mirror needs disks of one size.
func alike(all []v1alpha1.PolicyDevice) []v1alpha1.PolicyDevice {
	var best []v1alpha1.PolicyDevice
	for _, first := range all {
		var same []v1alpha1.PolicyDevice
		for _, d := range all {
			known := slices.ContainsFunc(same, func(o v1alpha1.PolicyDevice) bool { return o.Serial == d.Serial })
			if d.Size.Cmp(first.Size) == 0 && !known && len(same) < mostDisks {
				same = append(same, d)
			}
		}
		if len(same) > len(best) {
			best = same
		}
	}
	return best
}

// fillFile is for a namespace without disks: a file needs no consent.
func (c Cluster) fillFile(v *Values, namespace string) (string, error) {
	if len(v.Nodes) == 0 {
		for _, s := range c.Storages {
			v.Nodes = append(v.Nodes, s.Name)
		}
		if len(v.Nodes) == 0 {
			return "", fmt.Errorf("no node allows benchmarks: `kubectl label node NODE %s=true`", v1alpha1.LabelNodeAllowed)
		}
		slices.Sort(v.Nodes)
		v.Nodes = v.Nodes[:1]
	}
	return fmt.Sprintf("No policy offers a blank disk of %s to namespace %s, so the benchmark uses a file. To offer "+
		"disks: `kubectl zfsbench allow %s --namespace %s --blank --apply`", strings.Join(v.Nodes, ", "), namespace,
		v.Nodes[0], namespace), nil
}
