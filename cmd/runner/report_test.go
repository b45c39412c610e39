// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"zfsbench.io/operator/internal/kube/sink"
	"zfsbench.io/operator/internal/result"
)

func TestWriteReport(t *testing.T) {
	_, p := testPlanFile(t)
	m, err := readManifest(files(t, benchmarkText), nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	out, err := sink.NewDirectory(dir, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	started := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	trial := result.Trial{Index: 0, Variant: "default", Repetition: 1,
		Samples: []result.Sample{{Workload: "w", Tool: "fio", CacheState: "Cold", Write: &result.Operation{
			Bytes: 1 << 20, IOs: 256, RuntimeNanoseconds: 1e9, BandwidthBytesPerSecond: 1 << 20, IOPS: 256,
		}}}}
	if err := out.PutTrial(t.Context(), trial); err != nil {
		t.Fatal(err)
	}
	progress := result.Progress{State: result.StateComplete, PlanDigest: "sha256:x", Completed: 1, Started: started,
		Updated: started.Add(time.Minute)}
	var summary bytes.Buffer
	if err := writeReport(m.benchmark, p, out, progress, &summary); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# b: Complete", "default/b", "1 of 1 trial", "(1m0s)", "1 MiB/s", p.Benchmark.UID} {
		if !strings.Contains(summary.String(), want) {
			t.Errorf("the summary lacks %q:\n%s", want, &summary)
		}
	}
	for _, name := range []string{"summary.md", "results.csv", "results.json"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFailureOfATrialIsToldOnce(t *testing.T) {
	_, p := testPlanFile(t)
	m, err := readManifest(files(t, benchmarkText), nil)
	if err != nil {
		t.Fatal(err)
	}
	failure := &result.Failure{Reason: "WorkloadFailed", Message: "It broke."}
	ended := reportInput(m.benchmark, p, nil, result.Progress{State: result.StateFailed, Failed: 1, Failure: failure})
	early := reportInput(m.benchmark, p, nil, result.Progress{State: result.StateFailed, Failure: failure})
	if ended.Nodes[0].Failure != nil || early.Nodes[0].Failure != failure {
		t.Errorf("ended %v, early %v", ended.Nodes[0].Failure, early.Nodes[0].Failure)
	}
}
