// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/testfiles"
)

// TestAcrossNodes: one variant has another ratio on the second node. Two nodes say only that they differ; from five on,
// the report also says what to expect of others.
func TestAcrossNodes(t *testing.T) {
	const differs = "layout=raidz1,recordsize=16K"
	for _, nodes := range []int{1, 2, 5} {
		t.Run(fmt.Sprint(nodes), func(t *testing.T) {
			var names []string
			for i := range nodes {
				names = append(names, fmt.Sprintf("storage-%d", i))
			}
			in := experimentInput(t, twoByThree+sixRepetitions+toReference,
				reality{speed: sixVariants, cv: 0.01, drift: 0.05, slow: -1}, names...)
			if nodes > 1 {
				for _, trial := range in.Nodes[1].Trials {
					for _, s := range trial.Samples {
						if trial.Variant == differs && s.Write != nil {
							s.Write.BandwidthBytesPerSecond *= 1.1
						}
					}
				}
			}
			files := build(t, in)
			var document model.Report
			if err := json.Unmarshal(files.JSON, &document); err != nil {
				t.Fatal(err)
			}
			if nodes == 1 {
				if len(document.AcrossNodes) > 0 || strings.Contains(string(files.Markdown), "Across nodes") {
					t.Errorf("one node is compared with itself: %+v", document.AcrossNodes)
				}
				return
			}
			if len(document.AcrossNodes) != 10 {
				t.Errorf("%d comparisons of nodes, want 10: five variants, two workloads", len(document.AcrossNodes))
			}
			for _, c := range document.AcrossNodes {
				if different := c.Variant == differs && c.Workload == "seq-write"; (c.HolmP < 0.05) != different {
					t.Errorf("%s of %s: p %.3f on %d nodes", c.Workload, c.Variant, c.HolmP, nodes)
				}
				if known := c.MeanRatio != 0 && c.Interval95 != nil && c.NextNode95 != nil; len(c.Ratios) != nodes ||
					known != (nodes == 5) {
					t.Errorf("%s of %s on %d nodes: %+v", c.Workload, c.Variant, nodes, c)
				}
			}
			_, section, _ := strings.Cut(string(files.Markdown), "\n## Across nodes\n\n")
			section, _, _ = strings.Cut(section, "\n## ")
			testfiles.Compare(t, fmt.Sprintf("summary-across-%d-nodes.md", nodes), section)
		})
	}
}
