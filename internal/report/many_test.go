// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/report/markdown"
	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/result"
)

// manyVariants has 300 variants of three kinds of protection, the later the faster, with names as long as they may
// be.
func manyVariants(t testing.TB, nodes int) model.Input {
	in := manyInput(t, nodes, 300, 2)
	p := &in.Nodes[0].Plan
	for i := range p.Variants {
		v := &p.Variants[i]
		v.Name = fmt.Sprintf("variant=%d,%s", i, strings.Repeat("x", 245-len(fmt.Sprint(i))-1))
		v.Dataset.Properties = v1alpha1.DatasetProperties{"sync": []v1alpha1.PropertyValue{"standard", "always",
			"disabled"}[i%3]}
		if i > 0 {
			v.Reference = p.Variants[0].Name
		}
	}
	p.Order = &plan.Order{Kind: v1alpha1.OrderInterleaved}
	for n := range in.Nodes {
		in.Nodes[n].Plan = *p
		in.Nodes[n].Plan.Node.Name = in.Nodes[n].Name
		for i := range in.Nodes[n].Trials {
			trial := model.CopyTrials(in.Nodes[n].Trials[i : i+1])[0]
			trial.Variant = p.Variants[i%300].Name
			for j := range trial.Samples {
				s := &trial.Samples[j]
				s.Pool.PoolProperties, s.Pool.DatasetProperties = nil, nil
				for _, d := range []*result.Operation{s.Read, s.Write} {
					if d != nil {
						d.BandwidthBytesPerSecond = float64(1000*(i%300) + 1000000*(i/300) + 5000000)
						d.Latency.Histogram = d.Latency.Histogram.Coarsen(0)
					}
				}
			}
			in.Nodes[n].Trials[i] = trial
		}
	}
	return in
}

// TestManyVariantsInTheStatus: each workload and operation has as many rows, the best of each kind of protection, and
// all of it stays small.
func TestManyVariantsInTheStatus(t *testing.T) {
	tests := map[string]struct{ nodes, rows int }{"one node": {1, MaxStatusResults}, "as many as there may be": {64, 30}}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			in := manyVariants(t, 1)
			for len(in.Nodes) < tt.nodes {
				in.Nodes = append(in.Nodes, model.NodeResults{Name: fmt.Sprintf("storage-%d", len(in.Nodes))})
			}
			out := build(t, in)
			if len(out.Results) < tt.rows || len(out.Results) > MaxStatusResults ||
				int(out.OmittedResults) != 300*4-len(out.Results) {
				t.Errorf("%d rows, %d omitted", len(out.Results), out.OmittedResults)
			}
			status := v1alpha1.ZfsBenchmarkStatus{
				Results: out.Results, OmittedResults: out.OmittedResults, Summary: &out.Summary,
				Progress: &v1alpha1.Progress{CurrentVariant: strings.Repeat("x", 253)},
			}
			for range tt.nodes {
				status.Nodes = append(status.Nodes, v1alpha1.NodeStatus{
					Name: "storage-0.example.com", UID: strings.Repeat("0", 36), State: "Complete",
					OpenZFSUserland: "2.3.9-0+deb13u1", OpenZFSModule: "2.3.9-0+deb13u1",
					Kernel: "6.12.107+deb13-cloud-amd64", ARCMaxBytes: 1 << 40, MemoryBytes: 1 << 40, CPUs: 256,
				})
			}
			for range 6 {
				status.Conditions = append(status.Conditions, metav1.Condition{Type: "ResultsPublished", Status: "True",
					Reason: "Published", Message: strings.Repeat("x", 512)})
			}
			if text, err := json.Marshal(status); err != nil || len(text) >= 64<<10 {
				t.Errorf("the status has %d bytes: %v", len(text), err)
			}
		})
	}
}

func TestManyVariantsAreSharedFairly(t *testing.T) {
	out := build(t, manyVariants(t, 1))
	counts := map[string]int{}
	for _, r := range out.Results {
		counts[r.Workload+" "+string(r.Operation)]++
	}
	if diff := cmp.Diff(map[string]int{"seq-write write": 16, "seq-read read": 16, "mixed read": 16,
		"mixed write": 16}, counts); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	var got []string
	for _, r := range out.Results[:16] {
		got = append(got, regexp.MustCompile(`\d+`).FindString(r.Variant))
	}
	want := []string{"298", "295", "292", "289", "286", "283", "297", "294", "291", "288", "285", "299", "296", "293",
		"290", "287"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the best of sync=always, then standard, then disabled (-want +got):\n%s", diff)
	}
	if r := out.Results[0]; r.Ratio == "" || !strings.Contains(r.RatioInterval, " to ") || r.Verdict == "" {
		t.Errorf("got %+v", r)
	}
}

// TestManyVariantsInTheSummary: it has a bounded number of rows, and says where the rest is.
func TestManyVariantsInTheSummary(t *testing.T) {
	in := manyVariants(t, 3)
	in.Nodes[0].Preflight = &result.Preflight{Estimate: &result.Estimate{Pools: make([]result.PoolEstimate, 300)}}
	page := string(markdown.Write(reportOn(t, in)))
	checkMarkdown(t, []byte(page))
	for want, times := range map[string]int{
		"And 836 more, in results.csv and results.json.": 4, "And 2636 more, in results.csv and results.json.": 1,
		"\n| ": 4*(9*2+64) + 6*(2+64) + 2 + 3, "; and 99 more\n": 12, "; and 192 more\n": 12, "in the pool of variant": 20,
		"The check of space has also looked at the pools of 280 variants more.": 1,
		"- Pools and datasets of 292 variants more: in results.json":            3,
	} {
		if got := strings.Count(page, want); got != times {
			t.Errorf("%q is there %d times, want %d", want, got, times)
		}
	}
	if len(page) > 512<<10 {
		t.Errorf("summary.md has %d bytes", len(page))
	}
}

// TestColumnsWaitForAllVariants: the best of those measured so far would jump with each new one. A benchmark of one
// variant shows its medians at once.
func TestColumnsWaitForAllVariants(t *testing.T) {
	for variants, shown := range map[int]bool{1: true, 2: false} {
		in := manyInput(t, 1, variants, 2)
		if got := build(t, in).Summary.WriteBandwidth != ""; got != shown {
			t.Errorf("while %d variants are measured, columns with numbers: %t, want %t", variants, got, shown)
		}
		in.Finished = true
		if build(t, in).Summary.WriteBandwidth == "" {
			t.Errorf("no number in the columns when %d variants were measured", variants)
		}
	}
}
