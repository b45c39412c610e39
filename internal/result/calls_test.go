// SPDX-License-Identifier: Apache-2.0

package result

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The rate of calls is that of their latency, and none if they are shorter than tools can tell.
func TestCalls(t *testing.T) {
	tests := map[string]struct {
		workers int
		latency Latency
		want    Phase
	}{
		"of one worker": {1, Latency{Count: 200, MeanNanoseconds: 50e3, MaxNanoseconds: 1e6},
			Phase{Operation: Operation{IOs: 200, RuntimeNanoseconds: 10e6, IOPS: 20000}}},
		"of four": {4, Latency{Count: 200, MeanNanoseconds: 50e3, MaxNanoseconds: 1e6},
			Phase{Operation: Operation{IOs: 200, RuntimeNanoseconds: 25e5, IOPS: 80000}}},
		"too short": {1, Latency{Count: 200, MeanNanoseconds: 9e3, MaxNanoseconds: 1e6},
			Phase{TooFast: true, Operation: Operation{IOs: 200}}},
		"none": {1, Latency{}, Phase{TooFast: true}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.want.Name, tt.want.Latency = "fsyncCall", tt.latency
			got := Calls("fsyncCall", tt.workers, tt.latency)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if err := checkPhases(Sample{Phases: []Phase{got}}); err != nil {
				t.Error(err)
			}
		})
	}
}
