// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/text/human"
)

// sizes shows the relative sizes on a node in bytes; if trials differ, all sizes.
func (m *page) sizes(n model.NodeResults) {
	for _, s := range n.Sizes() {
		var all []string
		for _, bytes := range s.Bytes {
			if size := human.Bytes(float64(bytes)); !slices.Contains(all, size) {
				all = append(all, size)
			}
		}
		each, more := "", ""
		if s.Processes > 1 {
			each = fmt.Sprintf(" for each of %d jobs", s.Processes)
		}
		if len(all) > maxNamed {
			all, more = all[:maxNamed], " and others"
		}
		m.printf("- Size of workload %s, %s: %s%s%s\n", escape(s.Workload), s.Relative, strings.Join(all, ", "), more, each)
	}
}
