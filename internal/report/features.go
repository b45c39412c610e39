// SPDX-License-Identifier: Apache-2.0

package report

import (
	"slices"

	"zfsbench.io/operator/internal/result"
)

// FeatureSet is what the filesystem of a variant can do on a node.
type FeatureSet struct {
	Variant string `json:"variant"`
	Node    string `json:"node"`
	result.Features
}

// featuresOf are those of all variants of which anything is known, in the order of the plan.
func featuresOf(in Input) []FeatureSet {
	var all []FeatureSet
	for _, n := range in.Nodes {
		for _, v := range n.Plan.Variants {
			i := slices.IndexFunc(n.Trials, func(t result.Trial) bool { return t.Variant == v.Name && t.Features != nil })
			if i >= 0 {
				all = append(all, FeatureSet{v.Name, n.Name, *n.Trials[i].Features})
			}
		}
	}
	return all
}

// featureTable says what filesystems can do, if that was looked at.
func (m *markdown) featureTable() {
	if len(m.features) == 0 {
		return
	}
	titles := []string{"Variant"}
	if len(m.in.Nodes) > 1 {
		titles = append(titles, "Node")
	}
	out := newTable(append(titles, "User xattr", "POSIX ACL", "Reflink", "O_TMPFILE", "Punch hole", "O_DIRECT")...)
	for _, f := range m.features[:min(len(m.features), maxRows)] {
		cells := []string{f.Variant}
		if len(m.in.Nodes) > 1 {
			cells = append(cells, f.Node)
		}
		out.add(append(cells, answer(f.UserXattr), answer(f.PosixACL), answer(f.Reflink), answer(f.TemporaryFile), answer(f.PunchHole), answer(f.DirectIO))...)
	}
	m.printf("\n## Features\n\n%s\n", out)
	m.printf("What the kernel answered when it was tried on the filesystem as it was made and mounted here. O_DIRECT: it is taken, which\ndoes not say that a cache is passed by. A dash: not known.\n")
	if more := len(m.features) - maxRows; more > 0 {
		m.printf("\nAnd %d more, in %s.\n", more, JSONKey)
	}
}

// answer is a dash for what is not known.
func answer(yes *bool) string {
	switch {
	case yes == nil:
		return "-"
	case *yes:
		return "yes"
	default:
		return "no"
	}
}
