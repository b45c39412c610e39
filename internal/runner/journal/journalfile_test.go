// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/result"
)

// FuzzParseJournalState wants that what is read is written the same, and that no part of it is read at all.
func FuzzParseJournalState(f *testing.F) {
	owned := testOwnership()
	suspended := start.Add(time.Minute)
	for _, state := range []contents{
		{Version: version, PlanDigest: "sha256:a", Started: start},
		{Version: version, PlanDigest: "sha256:a", Started: start, SuspendedAt: &suspended, Suspended: time.Hour,
			Ownership: &owned},
	} {
		data, err := json.MarshalIndent(state, "", "  ")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, len(data)-1)
		f.Add(data, len(data)/2)
	}
	f.Add([]byte(`{"version":1,"planDigest":"a","ownership":{"version":1,"devices":[{}]}}`), 3)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		state, err := parseState(data)
		if err != nil {
			return
		}
		if state.PlanDigest == "" || state.Suspended < 0 || state.Ownership != nil &&
			(state.Ownership.PoolName == "" || state.Ownership.BenchmarkUID == "") {
			t.Fatalf("state %+v", state)
		}
		again, err := json.MarshalIndent(state, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		back, err := parseState(again)
		if diff := cmp.Diff(state, back); diff != "" || err != nil {
			t.Fatalf("error %v (-first +second):\n%s", err, diff)
		}
		cut = min(max(cut, 0), len(again)-1)
		if part, err := parseState(again[:cut]); err == nil {
			t.Fatalf("%d of %d bytes are read as %+v", cut, len(again), part)
		}
	})
}

func FuzzParseJournalTrial(f *testing.F) {
	data, err := json.Marshal(result.Trial{Version: result.Version, PlanDigest: "sha256:a", Index: 3,
		Samples: []result.Sample{{Workload: "w"}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"version":1,"index":-1}`))
	f.Add([]byte(`{"version":1,"samples":[{"read":{"latency":{"histogram":{"bits":6,"index":[1],"counts":[-1]}}}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		trial, err := parseTrial(data)
		if err != nil {
			return
		}
		if trial.Index < 0 || trial.Version != result.Version {
			t.Fatalf("trial %+v", trial)
		}
		if _, err := json.Marshal(trial); err != nil {
			t.Fatalf("read, and not to be written: %v", err)
		}
	})
}
