// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"strings"

	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/text/human"
)

// maxKinds is how many kinds of disks are named for a class, and maxKindNodes how many nodes that have one.
const (
	maxKinds     = 4
	maxKindNodes = 4
)

// classOf says which disks of a class a device asks for.
func classOf(d v1alpha1.Device) string {
	return fmt.Sprintf("%s of class %s on each node", human.Plural(int(ptr.Deref(d.Count, 1)), "disk"), d.Class)
}

// disks names the disks of classes on a node.
func (m *page) disks(n model.NodeResults) {
	for _, d := range n.Disks {
		m.printf("- Disk %s of class %s: %s, %s, serial %s", d.Name, d.Class, escape(d.Path),
			human.Bytes(float64(d.SizeBytes)), escape(d.Serial))
		if d.Model != "" {
			m.printf(", model %s", escape(d.Model))
		}
		if d.Firmware != "" {
			m.printf(", firmware %s", escape(d.Firmware))
		}
		m.printf("\n")
	}
}

// classCaveats say which nodes have other disks of a class than others.
func (m *page) classCaveats() []string {
	var lines []string
	for _, d := range m.ClassDifferences() {
		var kinds []string
		for _, k := range d.Kinds[:min(len(d.Kinds), maxKinds)] {
			nodes := strings.Join(k.Nodes[:min(len(k.Nodes), maxKindNodes)], ", ")
			if more := len(k.Nodes) - maxKindNodes; more > 0 {
				nodes += fmt.Sprintf(" and %s more", human.Plural(more, "node"))
			}
			kinds = append(kinds, fmt.Sprintf("%s on %s", escape(k.Value), nodes))
		}
		if more := len(d.Kinds) - maxKinds; more > 0 {
			kinds = append(kinds, fmt.Sprintf("and %d more, in %s", more, model.JSONKey))
		}
		lines = append(lines, fmt.Sprintf("The disks of class %s differ between nodes in %s: %s. A difference between these "+
			"nodes may be one between disks.", d.Class, d.What, strings.Join(kinds, "; ")))
	}
	return lines
}
