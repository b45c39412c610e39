// SPDX-License-Identifier: Apache-2.0

package result

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a scenario adds to a trial survives being sent, and the operation beside a tool is one of the sample's.
func TestScenarioSurvives(t *testing.T) {
	trial := makeTrial(2, 10)
	trial.Times = Times{PoolCreate: 1, DatasetDestroy: 2}
	trial.Samples[0].During = &During{Argv: []string{"zpool", "scrub"}, Phase: aPhase("scrub"), AloneNanoseconds: 3}
	trial.Samples[1].Filled = &Filled{Before: PoolSpace{FragmentationPercent: -1, UsedBytes: 1, AvailableBytes: 3},
		After: PoolSpace{UsedBytes: 3, AvailableBytes: 1}}
	data, err := EncodeTrial(trial)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeTrial(data, 2)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(trial.Samples[0].During, got.Samples[0].During); diff != "" {
		t.Errorf("during (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(trial.Samples[1].Filled, got.Samples[1].Filled); diff != "" || got.Times != trial.Times {
		t.Errorf("times %+v, filled (-want +got):\n%s", got.Times, diff)
	}
	s := got.Samples[0]
	if !s.IsPart("scrub") || s.IsPart("read") || s.Operation("scrub").Bytes != 4096000 ||
		s.BytesWritten() != s.Write.Bytes {
		t.Errorf("scrub is no part of the sample, or of what the workload wrote: %+v", s.Operations())
	}
	filled := got.Samples[1].Filled
	if before, after := filled.Before.FilledPercent(), filled.After.FilledPercent(); before != 25 || after != 75 {
		t.Errorf("filled from %v%% to %v%%", before, after)
	}
}

func TestScenariosThatCannotBeTrue(t *testing.T) {
	tests := map[string]struct {
		change func(*Sample)
		want   string
	}{
		"a name of two words":    {func(s *Sample) { s.During.Name = "a b" }, "is not a word"},
		"a name that is another": {func(s *Sample) { s.During.Name = "write" }, "there twice"},
		"no end":                 {func(s *Sample) { s.During.Ended = EndedByTime }, "did not come to its end"},
		"alone for too long":     {func(s *Sample) { s.During.AloneNanoseconds = 2e9 }, "alone for longer"},
		"a rate that never was":  {func(s *Sample) { s.During.BandwidthBytesPerSecond *= 2 }, "bandwidthBytesPerSecond"},
		"fragmentation of -2": {func(s *Sample) {
			s.Filled = &Filled{After: PoolSpace{FragmentationPercent: -2}}
		}, "ragmentationPercent"},
		"less than nothing used": {func(s *Sample) { s.Filled = &Filled{After: PoolSpace{UsedBytes: -1}} }, "sedBytes"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			trial := makeTrial(1, 10)
			trial.Samples[0].During = &During{Phase: aPhase("scrub")}
			tt.change(&trial.Samples[0])
			if err := checkTrial(trial); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestOwnsDataset(t *testing.T) {
	own := Ownership{
		Datasets: []string{"p", "p/bench"}, Snapshots: []OwnedSnapshots{{Dataset: "p/bench", Prefix: "s-", Count: 2}},
		Clones: []OwnedClones{{Prefix: "p/clone-a-", Count: 10}},
	}
	for name, want := range map[string]bool{
		"p": true, "p/bench": true, "p/bench@s-1": true, "p/bench@s-2": true, "p/clone-a-1": true, "p/clone-a-10": true,
		"p/bench@s-3": false, "p/bench@s-0": false, "p/bench@s-01": false, "p/clone-a-11": false, "p/clone-a-": false,
		"p/clone-a-+1": false, "p/clone-a-1/x": false, "p/clone-a-1@x": false, "p/other": false,
	} {
		if got := own.OwnsDataset(name); got != want {
			t.Errorf("%s: owned %v, want %v", name, got, want)
		}
	}
}
