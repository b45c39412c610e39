// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/text/human"
)

// sizes say how many bytes relative sizes were on a node; where variants differ, the different ones.
func (m *page) sizes(n model.Node) {
	if n.Facts == nil || !n.Plan.HasRelativeSizes() {
		return
	}
	n.Plan.Memory = plan.MemoryOf(n.Facts.MemoryBytes, n.Facts.ARCMaxBytes)
	if n.Plan.Memory == nil {
		return
	}
	for i, w := range n.Plan.Workloads {
		if w.Fio == nil || w.Fio.RelativeSize == "" {
			continue
		}
		var all []string
		for _, v := range n.Plan.Variants {
			size := human.Bytes(float64(n.Plan.WorkloadsOn(v)[i].Fio.Size.Value()))
			if !slices.Contains(all, size) {
				all = append(all, size)
			}
		}
		each := ""
		if w.Fio.NumJobs > 1 {
			each = fmt.Sprintf(" for each of %d jobs", w.Fio.NumJobs)
		}
		more := ""
		if len(all) > maxNamed {
			all, more = all[:maxNamed], " and others"
		}
		m.printf("- Size of workload %s, %s: %s%s%s\n", escape(w.Name), w.Fio.RelativeSize, strings.Join(all, ", "), more,
			each)
	}
}
