// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/testfiles"
)

func TestDryRunGolden(t *testing.T) {
	testfiles.Compare(t, "summary-dry-run.md", string(build(t, sampleInput(t, "preflight-passed")).Markdown))
	testfiles.Compare(t, "summary-dry-run-refused.md", string(build(t, sampleInput(t, "preflight-refused")).Markdown))
}

// TestDocsShowTheReport: what docs/install.md shows of a dry run is what a dry run prints.
func TestDocsShowTheReport(t *testing.T) {
	page, err := os.ReadFile("../../docs/install.md")
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "The preflight did not pass", "\nChecks that passed:"
	_, text, found := strings.Cut(string(build(t, sampleInput(t, "preflight-refused")).Markdown), begin)
	text, _, found2 := strings.Cut(text, end)
	if !found || !found2 {
		t.Fatalf("the report lacks %q or %q", begin, end)
	}
	if !strings.Contains(string(page), begin+text) {
		t.Errorf("docs/install.md does not show:\n%s", begin+text)
	}
}

// TestPreflightOfARealRun is told in full only if it stopped the benchmark.
func TestPreflightOfARealRun(t *testing.T) {
	warning := result.Check{Name: "space", Outcome: result.OutcomeWarning, Message: "It may run out of space."}
	tests := map[string]struct {
		preflight string
		checks    []result.Check
		has, not  []string
	}{
		"passed": {"preflight-passed", nil, []string{"0 of 1 trial complete", "## What ran"}, []string{"Preflight"}},
		"passed with a warning": {
			"preflight-passed", []result.Check{warning},
			[]string{"The preflight passed: 2 of 2 devices usable, 1 warning.",
				"- Warning (space): It may run out of space."}, []string{"/dev/vdc", "Estimate"},
		},
		"did not pass": {
			"preflight-refused", nil, []string{"0 of 1 trial complete", "1 of 2 devices usable.", "/dev/vdc", "Estimate:",
				"Nothing was measured: the preflight did not pass."}, []string{"## Failures"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			in := sampleInput(t, tt.preflight)
			in.Benchmark.Spec.DryRun = false
			in.Nodes[0].Preflight.Checks = append(in.Nodes[0].Preflight.Checks, tt.checks...)
			text := string(build(t, in).Markdown)
			for _, want := range tt.has {
				if !strings.Contains(text, want) {
					t.Errorf("summary.md lacks %q:\n%s", want, text)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(text, not) {
					t.Errorf("summary.md has %q:\n%s", not, text)
				}
			}
		})
	}
}

// TestOtherFailuresAreTold although the preflight did not pass either.
func TestOtherFailuresAreTold(t *testing.T) {
	in := sampleInput(t, "preflight-refused")
	in.Nodes[0].Failure = &result.Failure{Reason: v1alpha1.ReasonCleanupFailed, Message: "A pool is left."}
	in.Benchmark.Spec.DryRun = false
	if text := string(build(t, in).Markdown); !strings.Contains(text, "storage-0: CleanupFailed: A pool is left.") {
		t.Error(text)
	}
}

func TestJSONHasThePreflight(t *testing.T) {
	in := sampleInput(t, "preflight-refused")
	var document model.Report
	if err := json.Unmarshal(build(t, in).JSON, &document); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(in.Nodes[0].Preflight, document.Nodes[0].Preflight); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestForeignPreflight: what a node reports stays text, and no number breaks the report.
func TestForeignPreflight(t *testing.T) {
	in := sampleInput(t, "preflight-refused")
	found := in.Nodes[0].Preflight
	found.Devices[1].Refusal, found.Devices[1].Model = "It | has `rm`\n<b>.", "a|b"
	found.Estimate.LeastSeconds, found.Estimate.Pools = 1<<62,
		append(found.Estimate.Pools, result.PoolEstimate{Variant: "other"})
	text := string(build(t, in).Markdown)
	for _, want := range []string{"- It \\| has \\`rm\\` \\<b>.\n", `a\|b`, "Time of 1 trial: at least 2562047h47m16s",
		"Space in the pool of variant other:"} {
		if !strings.Contains(text, want) {
			t.Errorf("summary.md lacks %q:\n%s", want, text)
		}
	}
}
