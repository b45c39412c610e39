// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

// TestCheckProgress holds what a runner that lies may not say of its progress.
func TestCheckProgress(t *testing.T) {
	at := func(index, repetition int, variant, workload string) *result.CurrentTrial {
		return &result.CurrentTrial{Index: index, Repetition: repetition, Variant: variant, Workload: workload}
	}
	refused := []result.DeviceReport{{Name: "d0", Refusal: "It is in use."}}
	tests := map[string]struct {
		progress result.Progress
		want     string // in the error; empty for none
	}{
		"half way":           {result.Progress{Completed: 1, Current: at(1, 2, "default", "seq-write")}, ""},
		"between workloads":  {result.Progress{Current: at(0, 1, "default", "")}, ""},
		"of another plan":    {result.Progress{PlanDigest: "sha256:" + strings.Repeat("1", 64)}, "another plan"},
		"more than planned":  {result.Progress{Completed: 2, Failed: 1}, "3 of 2 trials done"},
		"never planned":      {result.Progress{Current: at(2, 3, "default", "")}, "number 2 of 2"},
		"another variant":    {result.Progress{Current: at(0, 1, "faster", "")}, `"faster"`},
		"another repetition": {result.Progress{Current: at(0, 1<<40, "default", "")}, "the plan says repetition 1"},
		"another workload":   {result.Progress{Current: at(0, 1, "default", "mine")}, "not in the plan"},
		"passed and refused": {
			result.Progress{Preflight: &result.Preflight{Passed: true, Devices: refused}}, "although checks failed",
		},
		"passed and failed": {result.Progress{Preflight: &result.Preflight{Passed: true,
			Checks: []result.Check{{Outcome: result.OutcomeFailed, Message: "No fio."}}}}, "although checks failed"},
		"not passed": {result.Progress{Preflight: &result.Preflight{Devices: refused}}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.progress.PlanDigest == "" {
				tt.progress.PlanDigest = testDigest()
			}
			err := checkProgress(testPlan(), testDigest(), tt.progress)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("checkProgress = %v, want an error with %q", err, tt.want)
			}
		})
	}
}

// Each pass has a sample, of which only the first can be cold, and a workload that is repeated says how its rounds
// went.
func TestCheckPassesAndRounds(t *testing.T) {
	p := testPlan()
	p.Workloads = []v1alpha1.Workload{
		{Name: "passes", Cache: v1alpha1.CacheCold, Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioRead, Passes: 2}},
		{Name: "steady", Cache: v1alpha1.CacheWarm,
			Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioRead, SteadyState: &v1alpha1.FioSteadyState{Rounds: 4, Window: 3}}},
	}
	pass := func(n int, cache string) result.Sample {
		return result.Sample{Workload: "passes", Pass: n, CacheState: cache, Read: &result.Operation{}}
	}
	rounds := func(window int, iops ...float64) result.Sample {
		s := result.SteadyStateOf(iops, window)
		return result.Sample{Workload: "steady", CacheState: "Warm", Steady: &s}
	}
	first, second, steady := pass(1, "Cold"), pass(2, "Warm"), rounds(3, 9, 9, 9)
	tests := map[string]struct {
		samples []result.Sample
		want    string
	}{
		"as planned":               {[]result.Sample{first, second, steady}, ""},
		"steady in the last round": {[]result.Sample{first, second, rounds(3, 1, 9, 9, 9)}, ""},
		"never steady":             {[]result.Sample{first, second, rounds(3, 1, 9, 1, 9)}, ""},
		"a pass missing":           {[]result.Sample{first, steady}, "2 of the 3 workloads"},
		"a pass unplanned":         {[]result.Sample{first, second, pass(3, "Warm"), steady}, "pass 3 of"},
		"no pass":                  {[]result.Sample{pass(0, "Cold"), second, steady}, "pass 0 of"},
		"passes out of order":      {[]result.Sample{second, first, steady}, "out of order"},
		"a later pass cold":        {[]result.Sample{first, pass(2, "Cold"), steady}, "the plan says Warm"},
		"rounds untold": {[]result.Sample{first, second, {Workload: "steady", CacheState: "Warm"}},
			"does not say whether"},
		"not steady, and ended early": {[]result.Sample{first, second, rounds(3, 1, 9, 1)},
			"3 rounds with a window of 3; the plan says 4 with 3"},
		"another window":           {[]result.Sample{first, second, rounds(2, 9, 9)}, "with a window of 2"},
		"more rounds than planned": {[]result.Sample{first, second, rounds(3, 1, 9, 1, 9, 9)}, "5 rounds"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := checkSamples(p, result.Trial{Samples: tt.samples})
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("checkSamples = %v, want an error with %q", err, tt.want)
			}
		})
	}
	first.Steady = steady.Steady
	if err := checkSamples(p, result.Trial{Samples: []result.Sample{first, second, steady}}); err == nil ||
		!strings.Contains(err.Error(), "not planned") {
		t.Errorf("rounds unplanned: %v", err)
	}
}

func TestCheckSamples(t *testing.T) {
	p := testPlan()
	p.Workloads = append(p.Workloads,
		v1alpha1.Workload{Name: "warm-read", Cache: v1alpha1.CacheWarm, Tree: &v1alpha1.TreeWorkload{}})
	sample := func(workload, cache string) result.Sample {
		return result.Sample{Workload: workload, CacheState: cache}
	}
	write, read := sample("seq-write", "Cold"), sample("warm-read", "Warm")
	phased, unknown, split := write, read, write
	split.Jobs = []result.Job{{Name: "mine"}}
	phased.Phases, unknown.Phases = []result.Phase{{Name: "read"}}, []result.Phase{{Name: "mine"}}
	failure := &result.Failure{Reason: v1alpha1.ReasonWorkloadFailed}
	tests := map[string]struct {
		samples []result.Sample
		failure *result.Failure
		want    string
	}{
		"all":                    {[]result.Sample{write, read}, nil, ""},
		"some, and failed":       {[]result.Sample{write}, failure, ""},
		"none, and failed":       {nil, failure, ""},
		"none":                   {nil, nil, "0 of the 2 workloads"},
		"the first is missing":   {[]result.Sample{read}, nil, "1 of the 2 workloads"},
		"one counted twice":      {[]result.Sample{write, write, read}, nil, "out of order or a duplicate"},
		"out of order":           {[]result.Sample{read, write}, nil, "out of order or a duplicate"},
		"warm in place of cold":  {[]result.Sample{sample("seq-write", "Warm"), read}, nil, "the plan says Cold"},
		"cold in place of warm":  {[]result.Sample{write, sample("warm-read", "Cold")}, nil, "the plan says Warm"},
		"of no workload at all":  {[]result.Sample{sample("mine", "Cold")}, failure, "not a workload of the plan"},
		"a job unplanned":        {[]result.Sample{split, read}, nil, "has 1 jobs; the plan says 0"},
		"phases of fio":          {[]result.Sample{phased, read}, nil, "phases, but fio has none"},
		"an operation unplanned": {[]result.Sample{write, unknown}, nil, "which the workload does not do"},
		"of a workload unplaced": {[]result.Sample{write, sample("", "Warm")}, nil, "not a workload of the plan"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := checkSamples(p, result.Trial{Samples: tt.samples, Failure: tt.failure})
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("checkSamples = %v, want an error with %q", err, tt.want)
			}
		})
	}
}

// TestForeignDocuments proves that one benchmark's runner cannot become part of another benchmark by what it writes
// into its own ConfigMaps.
func TestForeignDocuments(t *testing.T) {
	run := builtRun(t)
	foreign := run.ResultsConfigMaps()[0].DeepCopy()
	foreign.Name = "zb-0123456789abcdef-results-0"
	foreign.Data = map[string]string{jobspec.KeyPlan: "{}"}
	progress := run.ProgressConfigMap("true")
	progress.Name = "zb-0123456789abcdef-progress"
	progress.Data = map[string]string{jobspec.KeyProgress: "{", jobspec.KeyOwnership: "{"}
	s := &scope{benchmark: MakeBenchmark("default", "files").UID(testUID).State("storage-0", nodeRunning).Obj()}
	for name, documents := range map[string][]corev1.ConfigMap{
		"before": {*foreign, *progress, *run.PlanConfigMap(), *run.ProgressConfigMap("")},
		"after":  {*run.PlanConfigMap(), *run.ProgressConfigMap(""), *foreign, *progress},
	} {
		n := groupRuns(s, documents, nil, nil)[0]
		if n.recordsError != nil || !n.started() || n.owned || n.askedToSuspend() || len(n.shards) != 0 {
			t.Errorf("%s ours: started %t, owned %t, suspend %t, %d shards, error %v",
				name, n.started(), n.owned, n.askedToSuspend(), len(n.shards), n.recordsError)
		}
	}
}

func TestOwnershipOfAnotherBenchmark(t *testing.T) {
	run := builtRun(t)
	owned, err := result.EncodeOwnership(result.Ownership{
		Version: result.Version, BenchmarkUID: "7c9e6679-7425-40de-944b-e07fc1f90ae7", PlanDigest: run.Digest,
		PoolName: "tank",
	})
	if err != nil {
		t.Fatal(err)
	}
	progress := run.ProgressConfigMap("")
	progress.Data = map[string]string{jobspec.KeyOwnership: string(owned)}
	s := &scope{benchmark: MakeBenchmark("default", "files").UID(testUID).State("storage-0", nodeRunning).Obj()}
	n := groupRuns(s, []corev1.ConfigMap{*run.PlanConfigMap(), *progress}, nil, nil)[0]
	if !n.owned || n.ownsNothing() || n.recordsError == nil ||
		!strings.Contains(n.recordsError.Error(), "another benchmark") {
		t.Errorf("owned %t, clean %t, error %v; want it to count as owned, and unreadable",
			n.owned, n.ownsNothing(), n.recordsError)
	}
}

// TestTimesOfAnotherAge proves that a runner's clock cannot stretch a benchmark beyond its life, nor make a time that
// the API refuses.
func TestTimesOfAnotherAge(t *testing.T) {
	created := testNow().Add(-time.Hour)
	tests := map[string]struct {
		started, updated time.Time
		wantStart        time.Time
		wantEstimate     bool
	}{
		"as it is":            {testNow().Add(-time.Minute), testNow(), testNow().Add(-time.Minute), true},
		"a little ahead":      {testNow().Add(-time.Minute), testNow().Add(time.Minute), testNow().Add(-time.Minute), true},
		"before the creation": {time.Unix(0, 0), testNow(), created, true},
		"at the end of time": {time.Date(9999, 12, 31, 23, 0, 0, 0, time.UTC),
			time.Date(9999, 12, 31, 23, 0, 0, 0, time.UTC), testNow(), false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			n := MakeRun().Ours().Planned(4).Job().Reported(result.StateRunning).With(func(n *nodeRun) {
				n.progress.Started, n.progress.Updated = tt.started, tt.updated
			}).Obj()
			s := &scope{
				benchmark: MakeBenchmark("default", "a").Created(60).State("storage-0", nodeRunning).Obj(), now: testNow(),
				runs:    []*nodeRun{n},
				reading: &reading{nodes: map[string]nodeReading{"storage-0": {durations: []time.Duration{math.MaxInt64}}}},
			}
			n.record(s.nodeStatus("storage-0"))
			if got := s.startTimeOf(); !got.Time.Equal(tt.wantStart) {
				t.Errorf("started %v, want %v", got, tt.wantStart)
			}
			eta := s.progressOf().EstimatedCompletionTime
			if (eta != nil) != tt.wantEstimate || eta != nil && (eta.Year() > 9999 || eta.Time.Before(testNow())) {
				t.Errorf("estimated completion %v, want one: %t", eta, tt.wantEstimate)
			}
		})
	}
}

func TestRecordTakesNoImpossibleNumbers(t *testing.T) {
	n := MakeRun().Planned(1).Reported(result.StateRunning).With(func(n *nodeRun) {
		n.progress.Node = &result.NodeFacts{CPUs: 1 << 40}
	}).Obj()
	var status v1alpha1.NodeStatus
	n.record(&status)
	if status.CPUs != math.MaxInt32 {
		t.Errorf("CPUs = %d, want the largest that status can hold", status.CPUs)
	}
}

// TestWordsOfAPodReachNoTerminal follows a pod's last words into the message of a condition, which terminals print.
func TestWordsOfAPodReachNoTerminal(t *testing.T) {
	evil := "bye \x1b]0;owned\a\x1b[2J\u202e" + strings.Repeat("x", 100_000) + "\xff"
	run := MakeRun().Ours().Planned(1).JobFailed("BackoffLimitExceeded", "job \x1b[31m").Pod(1, diedOf(evil)).Obj()
	message := decide(run, request{now: testNow()}).message
	if len(message) > maxMessage+8 || strings.ContainsFunc(message, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("%d bytes: %.300q", len(message), message)
	}
}

// TestReportThatCannotBeMade proves that status does not wait for a report that no retry will make.
func TestReportThatCannotBeMade(t *testing.T) {
	n := MakeRun().Ours().Planned(1).JobComplete().Reported(result.StateComplete).Results(1).Obj()
	trial := testTrial(0)
	trial.Samples[0].NodeCPUSeconds = math.Inf(1) // no document holds it; stands for whatever a report may stumble over
	s := &scope{
		benchmark: MakeBenchmark("default", "a").State("storage-0", nodeComplete).Obj(), now: testNow(), runs: []*nodeRun{n},
		reading: &reading{}, trials: map[string][]result.Trial{"storage-0": {trial}},
	}
	done, err := (&Reconciler{}).publish(t.Context(), s)
	if done || err != nil || s.unsaved {
		t.Errorf("publish = %t, %v, unsaved %t; want the reconcile to go on to status", done, err, s.unsaved)
	}
	for _, c := range s.status().Conditions {
		if c.Type == v1alpha1.ConditionResultsPublished && c.Status == metav1.ConditionFalse &&
			c.Reason == v1alpha1.ReasonPublishFailed {
			return
		}
	}
	t.Errorf("conditions %v, want ResultsPublished=False", s.status().Conditions)
}
