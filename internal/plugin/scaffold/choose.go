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
	// Disks is how many disks each node must have; 0 is as many as there are, two at most, or a file.
	Disks int
}

// mostDisks is how many disks a first benchmark uses on a node: a mirror.
const mostDisks = 2

// Fill fills in the nodes and devices of values: disks that policies offer to the namespace and that a discovery found
// blank. A class comes first, because it works on several nodes; without one, the disks are those of one node. Nodes
// that are in the values stay. Without disks, the benchmark uses a file. The note says what was chosen, and why.
func (c Cluster) Fill(v *Values, namespace string) (note string, err error) {
	offered := c.offered(namespace, v.Nodes)
	if class, nodes := bestClass(offered, max(1, c.Disks)); class != "" && covers(nodes, v.Nodes) {
		v.Nodes, v.Class, v.Count = nodes, class, c.perNode(offered, class, nodes)
		return fmt.Sprintf("The benchmark uses disks of class %s on %s.", class, strings.Join(nodes, ", ")), nil
	}
	most := 0
	for name, disks := range offered {
		offered[name] = alike(disks, cmp.Or(c.Disks, mostDisks))
		most = max(most, len(offered[name]))
	}
	maps.DeleteFunc(offered, func(_ string, disks []v1alpha1.PolicyDevice) bool { return len(disks) < c.Disks })
	nodes := slices.Sorted(maps.Keys(offered))
	switch {
	case len(nodes) == 0 && c.Disks > 0:
		return "", c.tooFew(v.Nodes, namespace, most)
	case len(nodes) == 0:
		return c.fillFile(v, namespace)
	case len(v.Nodes) > 1:
		return "", fmt.Errorf("the nodes %s have no class of disks in common that policies offer to namespace %s: put disks "+
			"of each into one with `kubectl zfsbench allow NODE --namespace %s --class CLASS`", strings.Join(v.Nodes, ", "),
			namespace, namespace)
	}
	v.Nodes = nodes[:1]
	for _, d := range offered[nodes[0]] {
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

// tooFew says how many disks there are, and what to do.
func (c Cluster) tooFew(nodes []string, namespace string, most int) error {
	which, node := "any node", "NODE"
	if len(nodes) > 0 {
		which, node = strings.Join(nodes, ", "), nodes[0]
	}
	return fmt.Errorf("%d blank disks of one class or one size are needed, and policies offer namespace %s %d on %s: "+
		"offer more with `kubectl zfsbench allow %s --namespace %s --blank --class CLASS --apply`", c.Disks, namespace, most, which,
		node, namespace)
}

// bestClass is the class of which most nodes have this many disks, and these nodes. Of equal ones it is the first by
// name.
func bestClass(offered map[string][]v1alpha1.PolicyDevice, least int) (best string, nodes []string) {
	having := map[string][]string{}
	for _, node := range slices.Sorted(maps.Keys(offered)) {
		for class, serials := range serialsOf(offered[node]) {
			if len(serials) >= least {
				having[class] = append(having[class], node)
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

// serialsOf are the serial numbers of the disks of each class.
func serialsOf(disks []v1alpha1.PolicyDevice) map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for _, d := range disks {
		if d.Class == "" {
			continue
		}
		if all[d.Class] == nil {
			all[d.Class] = map[string]bool{}
		}
		all[d.Class][d.Serial] = true
	}
	return all
}

// perNode is how many disks of a class each of the nodes can give.
func (c Cluster) perNode(offered map[string][]v1alpha1.PolicyDevice, class string, nodes []string) int {
	count := cmp.Or(c.Disks, mostDisks)
	for _, node := range nodes {
		count = min(count, len(serialsOf(offered[node])[class]))
	}
	return count
}

// alike are the first disks of one size, each once and so many at most: a vdev needs disks of one size.
func alike(all []v1alpha1.PolicyDevice, most int) []v1alpha1.PolicyDevice {
	var best []v1alpha1.PolicyDevice
	for _, first := range all {
		var same []v1alpha1.PolicyDevice
		for _, d := range all {
			known := slices.ContainsFunc(same, func(o v1alpha1.PolicyDevice) bool { return o.Serial == d.Serial })
			if d.Size.Cmp(first.Size) == 0 && !known && len(same) < most {
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
