// SPDX-License-Identifier: Apache-2.0

package result

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The operations of a pass have names of their own, and counters of the whole workload say something of them.
func TestPerformedInAPass(t *testing.T) {
	s := Sample{Pass: 3, Read: &Operation{Bytes: 1}, Write: &Operation{Bytes: 2}}
	var names []string
	for _, p := range s.Operations() {
		names = append(names, p.Name)
	}
	if diff := cmp.Diff([]string{"pass3Read", "pass3Write"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s.Operation("read") != nil || s.Operation("pass3Write") != s.Write || s.IsPart("pass3Read") || s.BytesRead() != 1 {
		t.Errorf("%+v", s)
	}
}

// Many passes survive being sent, each with its number.
func TestPassesSurvive(t *testing.T) {
	const passes = 32
	trial := makeTrial(1, 10)
	sample := trial.Samples[0]
	trial.Samples = nil
	for i := range passes {
		sample.Pass = i + 1
		trial.Samples = append(trial.Samples, sample)
	}
	data, err := EncodeTrial(trial)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeTrial(data, passes)
	if err != nil || len(got.Samples) != passes || got.Samples[31].Pass != 32 {
		t.Fatalf("%d samples, %v", len(got.Samples), err)
	}
	trial.Samples[0].Jobs = []Job{{Name: "a"}}
	if _, err := EncodeTrial(trial); err == nil || !strings.Contains(err.Error(), "samples[0].pass") {
		t.Errorf("a pass with jobs: %v", err)
	}
}
