// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/result"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func openTestJournal(t *testing.T, dir string) *Journal {
	t.Helper()
	j, err := Open(dir, "sha256:a", start)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestJournalSurvivesItsProcess(t *testing.T) {
	dir := t.TempDir()
	j := openTestJournal(t, dir)
	if !j.Fresh() {
		t.Error("a new journal is not fresh")
	}
	ownership := testOwnership()
	trial := result.Trial{Version: result.Version, PlanDigest: "sha256:a", Index: 3, Variant: "v",
		Samples: []result.Sample{{Workload: "w", Read: &result.Operation{
			Latency: result.Latency{Histogram: result.Histogram{Bits: 6, Bins: []result.Bin{{Nanoseconds: 5, Count: 2}}}},
		}}}}
	first := result.Trial{Version: result.Version, PlanDigest: "sha256:a", Index: 1}
	attempts := []result.Attempt{
		{Started: start, Failure: result.Failure{Reason: "WorkloadFailed"},
			Bandwidths: []result.Bandwidth{{Workload: "w", ReadBytesPerSecond: 1}}},
		{Started: start.Add(time.Hour)},
	}
	if err := errors.Join(j.RecordOwned(ownership), j.Exclude(0, result.Attempt{}), j.Exclude(4, attempts[0]),
		j.Exclude(4, attempts[1]), j.Finish(trial), j.Finish(first)); err != nil {
		t.Fatal(err)
	}
	again, err := Open(dir, "sha256:b", start.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	want := &Journal{
		dir: dir,
		state: contents{
			Version: version, PlanDigest: "sha256:a", Started: start, Ownership: &ownership,
			Excluded: &excludedAttempts{Trial: 4, Attempts: attempts},
		},
		trials: map[int]result.Trial{1: first, 3: trial},
	}
	if diff := cmp.Diff(want, again, cmp.AllowUnexported(Journal{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !again.Finished(3) || again.Finished(0) || len(again.Results()) != 2 || again.Results()[0].Index != 1 {
		t.Errorf("results %v", again.Results())
	}
}

func testOwnership() result.Ownership {
	return result.Ownership{
		Version: result.Version, BenchmarkUID: "u", PlanDigest: "sha256:" + strings.Repeat("a", 64), PoolName: "p",
		Devices: []result.OwnedDevice{{Name: "f0", File: "/x"}},
	}
}

// TestJournalForgetsAnotherPlansTrials stands for a crash that brings back a file which restart removed: its numbers
// must not count for this plan.
func TestJournalForgetsAnotherPlansTrials(t *testing.T) {
	dir := t.TempDir()
	j := openTestJournal(t, dir)
	if err := j.Finish(result.Trial{Version: result.Version, PlanDigest: "sha256:b", Index: 1}); err != nil {
		t.Fatal(err)
	}
	if again := openTestJournal(t, dir); len(again.trials) != 0 {
		t.Errorf("trials %v", again.trials)
	}
}

func TestJournalRestart(t *testing.T) {
	dir := t.TempDir()
	j := openTestJournal(t, dir)
	if err := errors.Join(j.RecordOwned(result.Ownership{PoolName: "p"}), j.Finish(result.Trial{Index: 1})); err != nil {
		t.Fatal(err)
	}
	if err := j.Restart("sha256:b", start); err == nil {
		t.Error("restarted while something is owned")
	}
	if err := errors.Join(j.ClearOwned(), j.Restart("sha256:b", start.Add(time.Hour))); err != nil {
		t.Fatal(err)
	}
	again := openTestJournal(t, dir)
	want := contents{Version: version, PlanDigest: "sha256:b", Started: start.Add(time.Hour)}
	if diff := cmp.Diff(want, again.state); diff != "" || len(again.trials) != 0 {
		t.Errorf("%d trials, (-want +got):\n%s", len(again.trials), diff)
	}
}

func TestSuspensionIsNoRunningTime(t *testing.T) {
	j := openTestJournal(t, t.TempDir())
	timeout := time.Hour
	if got, want := j.Deadline(timeout), start.Add(timeout); got != want {
		t.Errorf("deadline %v, want %v", got, want)
	}
	if err := errors.Join(j.Suspend(start.Add(10*time.Minute)), j.Resume(start.Add(40*time.Minute)),
		j.Resume(start.Add(50*time.Minute))); err != nil {
		t.Fatal(err)
	}
	if got, want := j.Deadline(timeout), start.Add(timeout+30*time.Minute); got != want {
		t.Errorf("deadline %v, want %v", got, want)
	}
}

func TestJournalThatCannotBeRead(t *testing.T) {
	tests := map[string]struct{ file, text, want string }{
		"broken state":  {"state.json", `{"version":`, "unexpected end"},
		"other version": {"state.json", `{"version":99}`, "version 99"},
		"no version":    {"state.json", `{}`, "version 0"},
		"two states":    {"state.json", `{"version":1,"planDigest":"sha256:a"}{}`, "after top-level value"},
		"no plan":       {"state.json", `{"version":1}`, "has no plan digest"},
		"negative time": {"state.json", `{"version":1,"planDigest":"sha256:a","suspendedNanoseconds":-1}`, "suspended for"},
		"owned by none": {"state.json", `{"version":1,"planDigest":"sha256:a","ownership":{}}`, "its ownership record"},
		"endless state": {"state.json", strings.Repeat(" ", maxFileBytes+1), "more than 67108864 bytes"},
		"broken trial":  {"trial-00001.json", `{`, "trial-00001.json"},
		"negative":      {"trial-00001.json", `{"version":1,"index":-1}`, "trial -1"},
		"another trial": {"trial-00001.json", `{"version":1,"planDigest":"sha256:a","index":2}`, "it is trial 2"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			openTestJournal(t, dir)
			if err := os.WriteFile(filepath.Join(dir, test.file), []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(dir, "sha256:a", start); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestStateThatCannotBeWrittenIsNotTheJournals(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	j := openTestJournal(t, dir)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := j.RecordOwned(result.Ownership{PoolName: "p"}); err == nil || j.Owned() != nil {
		t.Errorf("error %v, owned %v", err, j.Owned())
	}
	if err := j.Finish(result.Trial{Index: 1}); err == nil || j.Finished(1) {
		t.Errorf("error %v", err)
	}
}
