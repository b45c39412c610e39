// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// repeatedPlan reads three times over the same files, and then until it is steady.
func repeatedPlan(w *world, then v1alpha1.SteadyThen) plan.Plan {
	p := testPlan(w)
	p.Trials = p.Trials[:1]
	passes, steady := *p.Workloads[1].DeepCopy(), *p.Workloads[1].DeepCopy()
	passes.Fio.Passes = 3
	steady.Name, steady.Fio.SteadyState = "steady", &v1alpha1.FioSteadyState{Rounds: 5, Window: 3, Then: then}
	p.Workloads = []v1alpha1.Workload{passes, steady}
	return p
}

// Files are laid out, and the cache is emptied, before the first pass or round only; each pass has a sample, all rounds
// have one.
func TestPassesAndRounds(t *testing.T) {
	for then, rounds := range map[v1alpha1.SteadyThen]int{v1alpha1.SteadyEnds: 3, v1alpha1.SteadyGoesOn: 5} {
		t.Run(string(then), func(t *testing.T) {
			w := newWorld(t)
			if got, _ := w.execute(t.Context(), repeatedPlan(w, then)); got.Progress.State != result.StateComplete {
				t.Fatalf("outcome %+v", got)
			}
			reads := func(n int) []string { return slices.Repeat([]string{"fio rw=read"}, n) }
			emptied := []string{"fio create_only", "zpool export"}
			// the last two destroy the pool
			want := slices.Concat(emptied, reads(3), emptied, reads(rounds), []string{"zpool export", "zpool export"})
			if diff := cmp.Diff(want, steps(w.transcript)); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
			checkRepeated(t, w.trials[0], rounds)
		})
	}
}

// Samples record what a relative size was in bytes; the plan stays as it is.
func TestSamplesRecordSizes(t *testing.T) {
	w := newWorld(t)
	p := repeatedPlan(w, v1alpha1.SteadyEnds)
	relative := p.Workloads[0].Fio
	relative.Size, relative.RelativeSize, relative.NumJobs = resource.Quantity{}, "0.1xRAM", 2
	if got, _ := w.execute(t.Context(), p); got.Progress.State != result.StateComplete {
		t.Fatalf("outcome %+v", got)
	}
	const half = int64(4<<30/20) >> 20 << 20 // of a tenth of the fake node's memory, in whole MiB
	for _, s := range w.trials[0].Samples {
		want := half
		if s.Workload == "steady" {
			want = 0
		}
		if s.SizeBytes != want || (want > 0 && !strings.Contains(s.JobFile, fmt.Sprintf("size=%d\n", want))) {
			t.Errorf("%s: %d bytes, want %d:\n%s", s.Workload, s.SizeBytes, want, s.JobFile)
		}
	}
	if !relative.Size.IsZero() {
		t.Errorf("the plan got a size of %s", relative.Size.String())
	}
}

// steps are the runs of fio, and the exports, which empty the cache.
func steps(transcript []string) []string {
	var all []string
	for _, line := range transcript {
		if strings.HasPrefix(line, "fio create_only") || strings.HasPrefix(line, "fio rw=") ||
			strings.HasPrefix(line, "zpool export") {
			all = append(all, strings.Join(strings.Fields(line)[:2], " "))
		}
	}
	return all
}

func checkRepeated(t *testing.T, trial result.Trial, rounds int) {
	t.Helper()
	var samples []string
	jobs := map[string]bool{}
	for _, s := range trial.Samples {
		samples = append(samples, fmt.Sprint(s.Workload, " ", s.Pass, " ", s.CacheState))
		jobs[s.JobFile] = true
	}
	if diff := cmp.Diff([]string{"read 1 Cold", "read 2 Warm", "read 3 Warm", "steady 0 Cold"}, samples); diff != "" {
		t.Fatalf("samples (-want +got):\n%s", diff)
	}
	if len(jobs) != 4 {
		t.Errorf("%d job files of 4: passes repeat each other's blocks", len(jobs))
	}
	one, all := trial.Samples[0], trial.Samples[3]
	if s := all.Steady; s == nil || !s.Reached || len(s.IOPS) != rounds || s.Window != 3 || s.Range != 0 {
		t.Errorf("steady %+v, want %d rounds", s, rounds)
	}
	if all.Read.Bytes != 3*one.Read.Bytes || all.ToolCPUSeconds != 3 {
		t.Errorf("%d bytes in the last 3 rounds, %v CPU seconds; %d bytes in a pass", all.Read.Bytes, all.ToolCPUSeconds,
			one.Read.Bytes)
	}
}

// A dry run says how many bytes relative sizes are; one for which there is no room fails it.
func TestSizesCheck(t *testing.T) {
	for size, want := range map[v1alpha1.RelativeSize]string{"10%Pool": result.OutcomePassed,
		"99xRAM": result.OutcomeFailed} {
		w := newWorld(t)
		p := testPlan(w)
		p.DryRun = true
		p.Workloads[1].Fio.Size.Set(0)
		p.Workloads[1].Fio.RelativeSize = size
		got, _ := w.execute(t.Context(), p)
		var found *result.Check
		for i, c := range got.Progress.Preflight.Checks {
			if c.Name == "sizes" {
				found = &got.Progress.Preflight.Checks[i]
			}
		}
		if found == nil || found.Outcome != want || !strings.Contains(found.Message, string(size)+" of workload read is ") {
			t.Errorf("%s: %+v, want %s", size, found, want)
		}
	}
}
