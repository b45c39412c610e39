// SPDX-License-Identifier: Apache-2.0

package sink

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/result"
)

func TestDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "out")
	var out bytes.Buffer
	d, err := NewDirectory(dir, &out)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	want := result.Trial{Index: 2, Samples: []result.Sample{{Workload: "w",
		Write: &result.Operation{Latency: result.Latency{
			Histogram: result.Histogram{Bits: 6, Bins: []result.Bin{{Nanoseconds: 5, Count: 3}}},
		}}}}}
	progress := result.Progress{State: result.StateRunning}
	if err := errors.Join(d.PutOwnership(ctx, ownership()), d.PutTrial(ctx, want), d.PutTrial(ctx, result.Trial{Index: 1}),
		d.PutProgress(ctx, progress), d.PutProgress(ctx, progress), d.WriteFile("summary.md", "# hello\n")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "trials", "trial-00002.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got result.Trial
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("trial (-want +got):\n%s", diff)
	}
	if trials := d.Trials(); len(trials) != 2 || trials[0].Index != 1 {
		t.Errorf("trials %v", trials)
	}
	if out.String() != "Running\n" {
		t.Errorf("printed %q", &out)
	}
	for range 2 {
		if err := d.ClearOwnership(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "ownership.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("ownership: %v", err)
	}
}

func TestDescribe(t *testing.T) {
	tests := map[string]struct {
		progress result.Progress
		want     string
	}{
		"beginning": {result.Progress{State: result.StatePreflight}, "Preflight"},
		"workload": {
			result.Progress{State: result.StateRunning, Completed: 2, Failed: 1, Current: &result.CurrentTrial{
				Index: 3, Variant: "v", Repetition: 2, Step: "workload", Workload: "w", Percent: 40, ReadBytesPerSecond: 1 << 20,
			}},
			"Running, 3 trials done (1 failed); trial 3, variant v, repetition 2, 40%: workload w (read 1.0 MiB/s, write 0.0 " +
				"MiB/s)",
		},
		"one done": {result.Progress{State: result.StateRunning, Completed: 1}, "Running, 1 trial done"},
		"failed": {result.Progress{State: result.StateFailed, Failure: &result.Failure{Message: "It broke."}},
			"Failed: It broke."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := describe(test.progress); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
