// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"strings"
)

// preparation says whether the disks were discarded before pools were made on them; nothing if there are only files.
func (m *page) preparation() {
	disks, discards := false, false
	for _, n := range m.Nodes {
		discards = discards || n.Plan.Discards()
		for _, d := range n.Plan.Devices {
			disks = disks || d.Path != ""
		}
	}
	unable := m.NotDiscarded()
	each := "each trial"
	if keepsPools(m.Spec.Repetitions) {
		each = "each variant's first repetition"
	}
	switch {
	case !disks:
	case !discards:
		m.printf("- Disks: not prepared, so a trial may inherit what another wrote\n")
	case len(unable) == 0:
		m.printf("- Disks: discarded before %s\n", each)
	default:
		m.printf("- Disks: discarded before %s, but for those that do not support it: %s\n", each,
			escape(strings.Join(unable, ", ")))
	}
}
