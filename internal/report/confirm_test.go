// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/stats"
)

// TestConfirmedResults: the winner is called so in every document, once everything is over, and its own figures stay
// those of the repetitions that chose it.
func TestConfirmedResults(t *testing.T) {
	const winner, six = "layout=raidz1,recordsize=1M", 6
	in := experimentInput(t, twoByThree+confirmedSix+toReference, reality{speed: sixVariants, cv: 0.01, slow: -1},
		"storage-0")
	in.Finished = true
	out := build(t, in)
	var document model.Report
	if err := json.Unmarshal(out.JSON, &document); err != nil {
		t.Fatal(err)
	}
	for _, c := range document.Confirmations {
		if c.N != six || c.Verdict != stats.Better || c.Ratio < 1.03 || c.SearchRatio < 1.03 || c.SearchRatio == c.Ratio {
			t.Errorf("confirmation: %+v", c)
		}
	}
	// Of each of the two workloads, the fastest of each of the two layouts.
	if len(document.Confirmations) != 4 {
		t.Errorf("%d winners, want 4", len(document.Confirmations))
	}
	got := map[string]int{}
	for _, r := range out.Results {
		if r.Confirmed != nil && *r.Confirmed {
			got[r.Variant]++
		}
		if r.Repetitions != six {
			t.Errorf("%s on %s has %d repetitions, want 6", r.Workload, r.Variant, r.Repetitions)
		}
	}
	if diff := cmp.Diff(map[string]int{winner: 2, "layout=raidz2,recordsize=1M": 2}, got); diff != "" {
		t.Errorf("confirmed in the status (-want +got):\n%s", diff)
	}
	for _, m := range document.Results {
		if m.Statistics.N != six || m.Repetitions != six {
			t.Errorf("%s on %s: %d repetitions, want 6", m.Workload, m.Variant, m.Repetitions)
		}
	}
}

// TestWinnersInTheSummary says what became of a winner.
func TestWinnersInTheSummary(t *testing.T) {
	const lucky = "layout=raidz1,recordsize=1M"
	of := func(anew float64, change func(*model.Input)) string {
		in := experimentInput(t, twoByThree+confirmedSix+toReference, reality{speed: sixVariants, cv: 0.01, slow: -1},
			"storage-0")
		for _, trial := range in.Nodes[0].Trials {
			if trial.Repetition > 6 && trial.Variant == lucky {
				for _, s := range trial.Samples {
					if s.Write != nil {
						s.Write.BandwidthBytesPerSecond *= anew
					}
				}
			}
		}
		change(&in)
		return string(build(t, in).Markdown)
	}
	tests := map[string]struct {
		anew   float64
		change func(*model.Input)
		want   string
	}{
		"confirmed": {1, func(*model.Input) {},
			"- seq-write: write: " + lucky + " is the best of those with redundancy 1: 1.2"},
		"not confirmed": {0.8, func(*model.Input) {}, "- seq-write: write: " + lucky + " is not confirmed ("},
		"not yet": {1, func(in *model.Input) { in.Nodes[0].Trials = in.Nodes[0].Trials[:42] },
			"- seq-write: write: nothing yet of " + lucky},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if page := of(tt.anew, tt.change); !strings.Contains(page, tt.want) {
				t.Errorf("summary.md lacks %q:\n%s", tt.want, page)
			}
		})
	}
}

// TestFlattery: of many variants, the best is called into question unless it is confirmed.
func TestFlattery(t *testing.T) {
	const warning = "The best of 11 variants looks better than it is"
	spec := strings.Replace(twoByThree, "[16K, 128K, 1M]", "[4K, 8K, 16K, 64K, 128K, 1M]", 1)
	speed := maps.Clone(sixVariants)
	for _, more := range []string{"4K", "8K", "64K"} {
		speed["layout=raidz1,recordsize="+more], speed["layout=raidz2,recordsize="+more] = 0.7, 0.6
	}
	for repetitions, want := range map[string]bool{sixRepetitions: true, confirmedSix: false} {
		page := string(build(t, experimentInput(t, spec+repetitions+toReference,
			reality{speed: speed, cv: 0.01, slow: -1}, "storage-0")).Markdown)
		if strings.Contains(page, warning) != want {
			t.Errorf("%s: it should warn: %t\n%s", repetitions, want, page)
		}
	}
}

// What is not over yet is neither confirmed nor not.
func TestConfirmedWhenFinished(t *testing.T) {
	in := experimentInput(t, twoByThree+confirmedSix+toReference, reality{speed: sixVariants, cv: 0.01, slow: -1},
		"storage-0")
	in.Phase, in.Finished = v1alpha1.PhaseRunning, false
	for _, r := range build(t, in).Results {
		if r.Confirmed != nil {
			t.Errorf("%s of a running benchmark is confirmed: %t", r.Variant, *r.Confirmed)
		}
	}
}
