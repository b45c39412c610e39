// SPDX-License-Identifier: Apache-2.0

package result

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// A trial fits also when everything about its excluded attempts is as long as it may be and does not compress.
func TestExcludedAttemptsFit(t *testing.T) {
	trial := makeTrial(0, 0)
	trial.Failure = &Failure{Reason: "WorkloadFailed", Message: noise(1, 1024), Tail: noise(2, 2048)}
	for i := range uint64(MaxExcluded) {
		a := Attempt{Failure: Failure{Reason: "WorkloadFailed", Message: noise(3+i, 1024), Tail: noise(6+i, 2048)}}
		for w := range maxSamples {
			a.Bandwidths = append(a.Bandwidths,
				Bandwidth{Workload: fmt.Sprintf("%d-%s", w, noise(uint64(w), 50)), ReadBytesPerSecond: 1 << 30,
					WriteBytesPerSecond: int64(w) << 29})
		}
		trial.Excluded = append(trial.Excluded, a)
	}
	data, err := EncodeTrial(trial)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeTrial(data, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Excluded) != MaxExcluded || got.Excluded[1].Failure.Message != trial.Excluded[1].Failure.Message ||
		got.Excluded[0].Failure.Tail != "" {
		t.Errorf("excluded %+v", got.Excluded)
	}
	if trial.Excluded[0].Failure.Tail == "" || trial.Excluded[0].Bandwidths == nil {
		t.Error("the caller's trial changed")
	}
}

func TestDecodeTrialRefusesAttempts(t *testing.T) {
	trial := makeTrial(0, 0)
	trial.Excluded = make([]Attempt, MaxExcluded+1)
	data, _, err := compress(trial)
	if err != nil {
		t.Fatal(err)
	}
	var format *FormatError
	if _, err := DecodeTrial(data, 0); !errors.As(err, &format) || !strings.Contains(err.Error(), "excluded attempts") {
		t.Errorf("too many attempts: %v", err)
	}
	for name, bad := range map[string]Attempt{
		"reason":     {Failure: Failure{Reason: "no reason"}},
		"bandwidths": {Failure: Failure{Reason: "VdevErrors"}, Bandwidths: make([]Bandwidth, maxSamples+1)},
		"negative":   {Failure: Failure{Reason: "VdevErrors"}, Bandwidths: []Bandwidth{{ReadBytesPerSecond: -1}}},
	} {
		trial.Excluded = []Attempt{bad}
		if data, _, err = compress(trial); err != nil {
			t.Fatal(err)
		}
		var invalid *InvalidError
		if _, err := DecodeTrial(data, 0); !errors.As(err, &invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
