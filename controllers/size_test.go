// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/report"
	"zfsbench.io/operator/internal/result"
)

// TestTrialsShareTheirProperties: the properties of a variant are stored once, not once per trial.
func TestTrialsShareTheirProperties(t *testing.T) {
	shard := &corev1.ConfigMap{BinaryData: map[string][]byte{}}
	for index := range 2 {
		trial := testTrial(index)
		trial.Pool.PoolProperties = map[string]string{"ashift": "12"}
		trial.Samples[0].Pool.DatasetProperties = map[string]string{"recordsize": "131072"}
		shard.BinaryData[result.TrialKey(index)] = encoded(t, trial, 1<<20)
	}
	trials, err := decodeTrials(testPlan(), testDigest(), []*corev1.ConfigMap{shard})
	if err != nil {
		t.Fatal(err)
	}
	same := func(a, b map[string]string) bool {
		return len(a) == 1 && reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
	}
	if !same(trials[0].Pool.PoolProperties, trials[1].Pool.PoolProperties) ||
		!same(trials[0].Samples[0].Pool.DatasetProperties, trials[1].Samples[0].Pool.DatasetProperties) {
		t.Error("two trials have maps of their own with the same properties")
	}
}

// TestReadingRests: a reading that takes long is followed by a rest a hundred times as long.
func TestReadingRests(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{0: 10 * time.Second, 50 * time.Millisecond: 10 * time.Second,
		12 * time.Second: 20 * time.Minute} {
		if got := (&reading{took: took}).rest(); got != want {
			t.Errorf("after a reading of %s it rests for %s, want %s", took, got, want)
		}
	}
}

func encoded(t testing.TB, trial result.Trial, limit int) []byte {
	t.Helper()
	data, err := result.EncodeTrialWithin(trial, limit)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// BenchmarkAtSize reads and reports as many trials as a plan may have, each as one that was captured, in 16 variants.
// It prints what they take in the results ConfigMaps, what the manager needs to hold them, how long both take it, and
// the most memory that the process had so far: run one size at a time, with the GOMEMLIMIT of the manager, to see what
// it needs.
func BenchmarkAtSize(b *testing.B) {
	for _, size := range []struct{ trials, workloads int }{{2500, 1}, {6500, 1}, {10000, 1}, {1350, 8}, {2500, 4}} {
		b.Run(fmt.Sprintf("trials=%d,workloads=%d", size.trials, size.workloads), func(b *testing.B) {
			reportAtSize(b, size.trials, size.workloads)
		})
	}
}

func reportAtSize(b *testing.B, count, workloads int) {
	p, captured := largestPlan(b, count, workloads)
	const digest = "sha256:0000000000000000000000000000000000000000000000000000000000000000"
	shards, stored := make([]*corev1.ConfigMap, plan.ResultsShards(p)), 0
	for i, planned := range p.Trials {
		trial := captured
		trial.Index, trial.Variant, trial.Repetition, trial.PlanDigest, trial.Node = i, planned.Variant, planned.Repetition,
			digest, p.Node.Name
		n := plan.ResultsShard(p, i)
		if shards[n] == nil {
			shards[n] = &corev1.ConfigMap{BinaryData: map[string][]byte{}}
		}
		data := encoded(b, trial, plan.TrialBytes(p))
		shards[n].BinaryData[result.TrialKey(i)], stored = data, stored+len(data)
	}
	for b.Loop() {
		before, began := liveBytes(), time.Now()
		trials, err := decodeTrials(p, digest, shards)
		if err != nil || len(trials) != len(p.Trials) {
			b.Fatal(len(trials), err)
		}
		b.ReportMetric(time.Since(began).Seconds(), "s-read")
		b.ReportMetric(float64(liveBytes()-before)/(1<<20), "MiB-read")
		began = time.Now()
		out, err := report.Build(report.Input{
			Benchmark: v1alpha1.ZfsBenchmark{},
			Nodes:     []report.Node{{Name: p.Node.Name, Plan: p, PlanDigest: digest, Planned: len(p.Trials), Trials: trials}},
		})
		if err != nil {
			b.Fatal(err)
		}
		chunks := report.Chunks("results", out)
		b.ReportMetric(time.Since(began).Seconds(), "s-report")
		b.ReportMetric(float64(len(out.JSON)+len(out.CSV)+len(out.Markdown))/(1<<20), "MiB-report")
		b.ReportMetric(float64(len(chunks)), "objects-report")
		runtime.KeepAlive(trials)
	}
	b.ReportMetric(float64(stored)/(1<<20), "MiB-stored")
	b.ReportMetric(float64(len(shards)), "objects-stored")
	b.ReportMetric(peakMebibytes(b), "MiB-peak")
}

// peakMebibytes is the most resident memory that this process has had.
func peakMebibytes(b *testing.B) float64 {
	b.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Skip(err)
	}
	for line := range strings.Lines(string(text)) {
		var kibibytes float64
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &kibibytes); n == 1 {
			return kibibytes / 1024
		}
	}
	return 0
}

// largestPlan has trials of the first workload of a captured one, or of several workloads like it.
func largestPlan(b *testing.B, trials, workloads int) (plan.Plan, result.Trial) {
	text, err := os.ReadFile(filepath.Join("..", "internal", "report", "testdata", "trials", "storage-0-0.json"))
	if err != nil {
		b.Fatal(err)
	}
	var captured result.Trial
	if err := json.Unmarshal(text, &captured); err != nil {
		b.Fatal(err)
	}
	first := captured.Samples[0]
	captured.Samples = nil
	p := plan.Plan{Node: plan.Node{Name: "storage-0"}, TimeoutSeconds: 3600}
	for i := range workloads {
		sample := first
		sample.Workload = fmt.Sprint("workload-", i)
		captured.Samples = append(captured.Samples, sample)
		p.Workloads = append(p.Workloads, v1alpha1.Workload{Name: sample.Workload})
	}
	for i := range 16 {
		p.Variants = append(p.Variants, plan.Variant{Name: fmt.Sprintf("recordsize=%d", i)})
	}
	for i := range trials {
		p.Trials = append(p.Trials, plan.Trial{Index: i, Variant: p.Variants[i%16].Name, Repetition: i/16 + 1})
	}
	return p, captured
}

func liveBytes() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
