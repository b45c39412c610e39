// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

// TestExtremesAreNoObstacle lets a runner report the largest of everything that is not refused. The API server must
// take every status that comes of it, or the benchmark would never end.
func TestExtremesAreNoObstacle(t *testing.T) {
	p := newPlay(t)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(p.node("storage-0", nil).Name).Repetitions(3).Obj())
	r := p.runner(b, "storage-0")
	end := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	r.rawTrial(0, encodeTrial(t, r.extremeTrial(0, end)))
	r.report(result.StateRunning, func(pr *result.Progress) {
		pr.Started, pr.Updated, pr.Completed = time.Unix(0, 0), end, 1
		pr.Node = &result.NodeFacts{
			OpenZFSUserland: strings.Repeat("µ", 128), OpenZFSModule: `<img src=x>|=cmd()`, Kernel: strings.Repeat("k", 256),
			CPUs: 1 << 60, MemoryBytes: 1 << 60, ARCMaxBytes: 1 << 60,
		}
		pr.Current = &result.CurrentTrial{Index: 1, Variant: "default", Repetition: 2, Step: strings.Repeat("s", 256),
			Workload: "seq-write", Percent: 100}
	})
	now := p.waitCondition(b, v1alpha1.ConditionRunning, metav1.ConditionTrue, v1alpha1.ReasonRunning, "1 of 3 trials")
	if start := now.Status.StartTime; start == nil || start.Before(&now.CreationTimestamp) {
		t.Errorf("started %v, the benchmark was made at %v", start, now.CreationTimestamp)
	}
	if now.Status.Progress.EstimatedCompletionTime != nil || now.Status.Nodes[0].CPUs != math.MaxInt32 {
		t.Errorf("progress %+v, node %+v", now.Status.Progress, now.Status.Nodes[0])
	}
	r.rawTrial(1, encodeTrial(t, r.extremeTrial(1, end)))
	r.rawTrial(2, encodeTrial(t, r.extremeTrial(2, end)))
	r.report(result.StateComplete, func(pr *result.Progress) { pr.Updated, pr.Completed = end, 3 })
	r.endJob(jobspec.RunJobName(r.run.Base()), batchv1.JobComplete, "")
	now = p.waitPhase(b, v1alpha1.PhaseComplete)
	p.waitCondition(b, v1alpha1.ConditionResultsPublished, metav1.ConditionTrue, v1alpha1.ReasonPublished)
	if got := now.Status.Results; len(got) != 1 || got[0].Repetitions != 3 || got[0].BandwidthBytesPerSecond != 1 ||
		got[0].MeanLatencyNanoseconds != 1<<59 {
		t.Errorf("results = %+v", got)
	}
}

// extremeTrial is a trial of the plan whose numbers are the largest and smallest that are believed.
func (r *runner) extremeTrial(index int, end time.Time) result.Trial {
	planned := r.run.Plan.Trials[index]
	return result.Trial{
		Version: result.Version, PlanDigest: r.run.Digest, Index: index, Variant: planned.Variant,
		Repetition: planned.Repetition,
		Node:       r.run.Plan.Node.Name, Started: time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC), Finished: end,
		Samples: []result.Sample{{
			Workload: "seq-write", Tool: "fio", ToolVersion: `=cmd|' /C calc'!A0`, CacheState: "Cold",
			RuntimeNanoseconds: 1 << 60, Started: end,
			ToolCPUSeconds: 1e18, NodeCPUSeconds: 1e18, DeviceReadBytes: 1 << 60, DeviceWrittenBytes: 1 << 60,
			Write: &result.Operation{
				Bytes: 1, IOs: 1, RuntimeNanoseconds: 1e9, BandwidthBytesPerSecond: 1, IOPS: 1,
				Latency: result.Latency{Count: 1 << 50, MaxNanoseconds: 1 << 60, MeanNanoseconds: 1 << 59, StddevNanoseconds: 1e18,
					P999Nanoseconds: 1 << 60},
			},
		}},
	}
}

func encodeTrial(t *testing.T, trial result.Trial) []byte {
	t.Helper()
	data, err := result.EncodeTrial(trial)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestHostileDocumentsEndTheRun writes what no runner writes. Every attack must end as a failed benchmark that says
// which document cannot be used.
func TestHostileDocumentsEndTheRun(t *testing.T) {
	altered := func(change func(*result.Trial)) func(*runner) {
		return func(r *runner) {
			trial := r.extremeTrial(0, time.Now())
			change(&trial)
			plain, err := json.Marshal(trial)
			r.must(err)
			r.rawTrial(0, gzipped(r.t, plain))
		}
	}
	progress := func(change func(*result.Progress)) func(*runner) {
		return func(r *runner) { r.report(result.StateRunning, change) }
	}
	tests := map[string]struct {
		attack func(*runner)
		want   string
	}{
		"a bomb":              {func(r *runner) { r.rawTrial(0, gzipped(r.t, make([]byte, 4<<20))) }, "larger than"},
		"a trial not planned": {func(r *runner) { r.strangeKey("trial-00009.json.gz") }, "its key belongs to no trial"},
		"not UTF-8": {func(r *runner) {
			r.rawTrial(0, gzipped(r.t, []byte("{\"node\":\"\xff\"}")))
		}, "trial document"},
		"a bandwidth of lies": {altered(func(tr *result.Trial) {
			tr.Samples[0].Write.BandwidthBytesPerSecond = 1e12
		}), "bandwidthBytesPerSecond"},
		"one sample twice": {altered(func(tr *result.Trial) {
			tr.Samples = append(tr.Samples, tr.Samples[0])
		}), "a duplicate"},
		"nothing measured":     {altered(func(tr *result.Trial) { tr.Samples = nil }), "0 of the 1 workloads"},
		"another variant":      {altered(func(tr *result.Trial) { tr.Variant = "faster" }), "faster"},
		"too many trials done": {progress(func(pr *result.Progress) { pr.Completed = 1 << 59 }), "of 1 trials done"},
		"a repetition unheard": {progress(func(pr *result.Progress) {
			pr.Current = &result.CurrentTrial{Variant: "default", Repetition: 1 << 40, Workload: "seq-write"}
		}), "repetition 1099511627776"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t)
			b := p.create(MakeBenchmark(p.namespace, "files").Node(p.node("storage-0", nil).Name).Obj())
			r := p.runner(b, "storage-0")
			tt.attack(r)
			run := jobspec.RunJobName(r.run.Base())
			r.waitDeleting(run)
			r.endInterrupted(run)
			p.waitCondition(b, v1alpha1.ConditionFailed, metav1.ConditionTrue, v1alpha1.ReasonResultsUnreadable, tt.want)
		})
	}
}

// strangeKey puts something under a key of the first results ConfigMap that no trial has.
func (r *runner) strangeKey(key string) {
	r.t.Helper()
	r.patchDocument(jobspec.ResultsName(r.run.Base(), 0), map[string]any{"binaryData": map[string]any{key: []byte("x")}})
}

func gzipped(t *testing.T, plain []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
