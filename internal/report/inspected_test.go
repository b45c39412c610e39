// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/result"
)

// TestInspections: medians over the trials of which something is known, and why it is not of others.
func TestInspections(t *testing.T) {
	in := capturedInput(t)
	in.Nodes[0].Trials = model.CopyTrials(in.Nodes[0].Trials)
	known, workload := 0, in.Benchmark.Spec.Workloads[0].Name
	for i, trial := range in.Nodes[0].Trials {
		if trial.Failure != nil || len(trial.Samples) == 0 {
			continue
		}
		found := &result.Inspected{
			Allocation:     &result.Allocation{Files: 2, Blocks: 102, Bytes: 102 << 17, Neighbours: 100, Gaps: 25},
			SimulatedDedup: &result.SimulatedDedup{Dedup: 1.5, Compress: 2, Copies: 1, Combined: 3},
		}
		if known == 1 {
			found = &result.Inspected{Missing: map[string]string{"SimulatedDedup": "it takes too long | really",
				"Fragmentation": "it failed"}}
		}
		in.Nodes[0].Trials[i].Samples[0].Inspected = found
		known++
	}
	out := build(t, in)
	var document model.Report
	if err := json.Unmarshal(out.JSON, &document); err != nil {
		t.Fatal(err)
	}
	want := []model.Inspection{{
		Workload: workload, Variant: in.Nodes[0].Plan.Variants[0].Name, Node: in.Nodes[0].Name,
		Allocation: &model.AllocationFound{Trials: known - 1, FragmentationPercent: 25, Extents: 27,
			MeanExtentBytes: (102 << 17) / 27.},
		SimulatedDedup: &model.SimulatedFactors{Trials: known - 1,
			SimulatedDedup: result.SimulatedDedup{Dedup: 1.5, Compress: 2, Copies: 1, Combined: 3}},
		Missing: []string{"Fragmentation: it failed", "SimulatedDedup: it takes too long | really"},
	}}
	if diff := cmp.Diff(want, document.Inspections); diff != "" {
		t.Errorf("inspections (-want +got):\n%s", diff)
	}
	for _, text := range []string{"## Inspected pools", " 25.0% | ", "1.50× |", "Unknown after " + workload} {
		if !strings.Contains(string(out.Markdown), text) {
			t.Errorf("summary.md has no %q", text)
		}
	}
}
