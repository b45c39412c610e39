// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/toolrun"
	"zfsbench.io/operator/internal/tools"
	"zfsbench.io/operator/internal/tools/script"
)

// fakeImages has the files of images below /images. An error is why there are none, lost why one was lost meanwhile.
type fakeImages struct{ err, lost error }

func (f fakeImages) Attach(_ context.Context, number int) (string, error) {
	return fmt.Sprintf("/images/%d", number), f.err
}

func (f fakeImages) Check(int) error { return f.lost }

// scripts plays programs of images, and the runner as it copies a corpus.
type scripts struct {
	*world
	images  toolrun.Images
	corpora string
	started []sandbox.Command
	// printed is what the script prints, exit how it ends; lacks is why its program is not found.
	printed string
	exit    int
	lacks   string
	hangs   bool
}

func (s *scripts) tool(ctx context.Context, cmd sandbox.Command) (sandbox.Result, error) {
	if slices.Contains(cmd.Argv, "--version") {
		_, _ = fmt.Fprintln(cmd.Stdout, "runner version v0.1.0")
		return sandbox.Result{}, nil
	}
	s.started = append(s.started, cmd)
	if slices.Contains(cmd.Argv, script.LookCommand) {
		if s.lacks != "" {
			_, _ = fmt.Fprintln(cmd.Stderr, s.lacks)
			return sandbox.Result{ExitCode: 1}, nil
		}
		_, _ = fmt.Fprintln(cmd.Stdout, "/bin/"+cmd.Argv[2])
		return sandbox.Result{}, nil
	}
	if cmd.Ready != nil {
		cmd.Ready()
	}
	if cmd.Self {
		const report = `{"version": "v1", "phases": [{"name": "write", "bytes": 1000, "ios": 1,
"runtimeNanoseconds": 1000000000, "bandwidthBytesPerSecond": 1000, "iops": 1, "latency": {}}],
"data": {"files": 1, "bytes": 1000, "digest": "sha256:%s"}}`
		return sandbox.Result{}, os.WriteFile(filepath.Join(cmd.Output, tools.ReportName),
			fmt.Appendf(nil, report, strings.Repeat("0a", 32)), 0o600)
	}
	if s.hangs {
		<-ctx.Done()
		return sandbox.Result{}, ctx.Err()
	}
	_, _ = fmt.Fprint(cmd.Stdout, s.printed)
	_, _ = fmt.Fprint(cmd.Stderr, "what it says\n")
	return sandbox.Result{ExitCode: s.exit, CPUTime: time.Second}, nil
}

// scriptWorld is a plan of two trials with a script, and a corpus of another image.
func scriptWorld(t *testing.T) (*scripts, plan.Plan) {
	t.Helper()
	w := newWorld(t)
	p := testPlan(w)
	p.Workloads = []v1alpha1.Workload{
		{Name: "given", Corpus: &v1alpha1.CorpusWorkload{Image: &v1alpha1.CorpusFromImage{Image: "data:1", Path: "/usr/share",
			Size: resource.MustParse("1Mi")}}},
		{Name: "database", Script: &v1alpha1.ScriptWorkload{
			Image: "tools:1", Command: []string{"sh", "-c", "run"}, Size: resource.MustParse("1Mi"),
			Timeout: &metav1.Duration{Duration: time.Minute},
			Metrics: []v1alpha1.ScriptMetric{{Name: "load", Unit: v1alpha1.ScriptSeconds},
				{Name: "rows", Unit: v1alpha1.ScriptPerSecond}},
		}},
	}
	return &scripts{world: w, images: fakeImages{}, printed: "loading\n{\"load\": 2.5, \"rows\": 1000}\n"}, p
}

func (s *scripts) run(t *testing.T, p plan.Plan) Outcome {
	t.Helper()
	e := s.engine(p)
	e.Tool, e.Images, e.Corpora = s.tool, s.images, s.corpora
	return e.Execute(t.Context())
}

// A script gets its image as its root, and no directory of the node; a corpus gets its image as a source.
func TestScripts(t *testing.T) {
	s, p := scriptWorld(t)
	if outcome := s.run(t, p); outcome.Err != nil || outcome.Progress.State != result.StateComplete {
		t.Fatalf("%+v", outcome)
	}
	var started []string
	for _, cmd := range s.started[:3] {
		started = append(started, fmt.Sprintf("%s image=%s source=%s output=%t self=%t", strings.Join(cmd.Argv[:2], " "),
			cmd.Image, cmd.Source, cmd.Output != "", cmd.Self))
		if cmd.UID != sandbox.User || filepath.Base(cmd.Target) != "target" {
			t.Errorf("started as %d on %q", cmd.UID, cmd.Target)
		}
	}
	want := []string{
		"runner sandbox-look image=/images/1 source= output=false self=true",
		"runner corpus image= source=/images/0 output=true self=true",
		"sh -c image=/images/1 source= output=false self=false",
	}
	if diff := cmp.Diff(want, started); diff != "" {
		t.Errorf("started (-want +got):\n%s", diff)
	}
	samples := s.trials[0].Samples
	if d := samples[0].Data; d == nil || d.Bytes != 1000 || d.Files != 1 {
		t.Errorf("corpus: %+v", samples[0])
	}
	script := samples[1]
	if load := script.Operation("load"); load == nil || load.RuntimeNanoseconds != 25e8 ||
		script.Operation("rows").IOPS != 1000 {
		t.Errorf("script: %+v", script.Phases)
	}
	if script.Tool != "script" || script.ToolVersion != "tools:1" || script.RuntimeNanoseconds <= 0 ||
		!slices.Equal(script.Argv, []string{"sh", "-c", "run"}) {
		t.Errorf("script: %+v", script)
	}
}

// slowImages notes how long a runner would wait for them.
type slowImages struct {
	fakeImages
	waited *time.Duration
}

func (s slowImages) Attach(ctx context.Context, number int) (string, error) {
	deadline, _ := ctx.Deadline()
	*s.waited = max(*s.waited, time.Until(deadline))
	return s.fakeImages.Attach(ctx, number)
}

// The time that it takes to pull images is not the benchmark's: it may be longer than its timeout.
func TestRunnerWaitsForImagesFirst(t *testing.T) {
	s, p := scriptWorld(t)
	var waited time.Duration
	s.images = slowImages{waited: &waited}
	p.TimeoutSeconds = 60
	if outcome := s.run(t, p); outcome.Err != nil || outcome.Progress.State != result.StateComplete {
		t.Fatalf("%+v", outcome)
	}
	if waited < 10*time.Minute {
		t.Errorf("waited for at most %s", waited)
	}
}

// A runner that is stopped while it waits for its images has done nothing on the node, and reports nothing: the manager
// knows why it has stopped it.
func TestRunnerIsStoppedBeforeItsImagesAreThere(t *testing.T) {
	s, p := scriptWorld(t)
	e := s.engine(p)
	e.Tool, e.Images = s.tool, fakeImages{err: errors.New("no process holds it")}
	ctx, stop := context.WithCancelCause(t.Context())
	stop(ErrInterrupted)
	if outcome := e.Execute(ctx); outcome.Final() || outcome.Err == nil {
		t.Errorf("%+v", outcome)
	}
	if _, err := os.Stat(e.ws.Journal()); !errors.Is(err, os.ErrNotExist) || len(s.transcript) > 0 {
		t.Errorf("something was done: %q, journal %v", s.transcript, err)
	}
}

// claimWorld is a plan of two trials with corpora of two claims.
func claimWorld(t *testing.T) (*scripts, plan.Plan) {
	t.Helper()
	w := newWorld(t)
	p := testPlan(w)
	p.Workloads = nil
	for i, claim := range []string{"given", "other", "given"} {
		p.Workloads = append(p.Workloads, v1alpha1.Workload{Name: string("abc"[i]),
			Corpus: &v1alpha1.CorpusWorkload{PersistentVolumeClaim: &v1alpha1.CorpusFromClaim{
				ClaimName: claim, Path: "/sources", Size: resource.MustParse("1Mi"),
			}}})
	}
	return &scripts{world: w, corpora: "/corpora"}, p
}

// A corpus of a claim gets the directory in which the kubelet has mounted it as a source, which the sandbox lets it
// only read.
func TestCorporaOfClaims(t *testing.T) {
	s, p := claimWorld(t)
	if outcome := s.run(t, p); outcome.Err != nil || outcome.Progress.State != result.StateComplete {
		t.Fatalf("%+v", outcome)
	}
	var started []string
	for _, cmd := range s.started[:3] {
		started = append(started, fmt.Sprintf("%s source=%s image=%s", strings.Join(cmd.Argv[1:], " "), cmd.Source,
			cmd.Image))
	}
	const argv = "corpus --directory=/target/%s --report=/out/report.json --source=/source --path=/sources " +
		"--limit=1048576 "
	want := []string{fmt.Sprintf(argv, "a") + "source=/corpora/0 image=",
		fmt.Sprintf(argv, "b") + "source=/corpora/1 image=", fmt.Sprintf(argv, "c") + "source=/corpora/0 image="}
	if diff := cmp.Diff(want, started); diff != "" {
		t.Errorf("started (-want +got):\n%s", diff)
	}
	if d := s.trials[0].Samples[0].Data; d == nil || d.Bytes != 1000 || d.Files != 1 {
		t.Errorf("corpus: %+v", s.trials[0].Samples[0])
	}
}

func TestNoClaimsWithoutKubernetes(t *testing.T) {
	s, p := claimWorld(t)
	s.corpora = ""
	outcome := s.run(t, p)
	const want = "the PersistentVolumeClaim given: claims can be used only in Kubernetes"
	if f := outcome.Progress.Failure; f == nil || f.Reason != v1alpha1.ReasonPreflightFailed ||
		!strings.Contains(f.Message, want) {
		t.Errorf("failure %+v, want %q", f, want)
	}
}

// A script that fails fails its trial, with what it said, and not the others.
func TestScriptsFail(t *testing.T) {
	tests := map[string]struct {
		change func(*scripts, *plan.Plan)
		want   string
	}{
		"it ends badly": {func(s *scripts, _ *plan.Plan) { s.exit, s.printed = 3, "" },
			"script database ended with exit code 3: script wrote no report: the last line"},
		"a result, then it": {func(s *scripts, _ *plan.Plan) { s.exit = 3 }, "script database ended with exit code 3"},
		"garbage": {func(s *scripts, _ *plan.Plan) { s.printed = "done\n" },
			"script wrote no report: the last line on standard output must be a JSON object"},
		"one number": {func(s *scripts, _ *plan.Plan) { s.printed = `{"load": 1}` }, "script report: it has no rows"},
		"its image is lost": {
			func(s *scripts, _ *plan.Plan) { s.images = fakeImages{lost: errors.New("the pod was evicted")} },
			"the image data:1 was lost while its files were used: the pod was evicted",
		},
		"it hangs": {func(s *scripts, p *plan.Plan) {
			s.hangs, p.Workloads[1].Script.Timeout = true, &metav1.Duration{Duration: 10 * time.Millisecond}
		}, "script database had not ended after 10ms, its timeout, and was killed"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, p := scriptWorld(t)
			tt.change(s, &p)
			s.run(t, p)
			failure := s.trials[0].Failure
			if failure == nil || failure.Reason != v1alpha1.ReasonWorkloadFailed || !strings.Contains(failure.Message, tt.want) {
				t.Errorf("failure %+v, want %q", failure, tt.want)
			}
			if !s.hangs && s.images == (fakeImages{}) && !strings.Contains(failure.Tail, "what it says") {
				t.Errorf("tail %q", failure.Tail)
			}
			if len(s.trials) != len(p.Trials) {
				t.Errorf("%d trials of %d", len(s.trials), len(p.Trials))
			}
			if len(s.pools) > 1 {
				t.Errorf("pools are left: %v", s.pools)
			}
		})
	}
}

// What an image lacks, or an image that is not there, is found before anything is made.
func TestScriptsAreLookedFor(t *testing.T) {
	tests := map[string]struct {
		change func(*scripts)
		want   string
	}{
		"no program": {func(s *scripts) { s.lacks = "runner: sh: program not found" }, "sh: program not found"},
		"no holder": {func(s *scripts) { s.images = fakeImages{err: errors.New("no process holds it")} },
			"find the files of the image tools:1: no process holds it"},
		"without Kubernetes": {func(s *scripts) { s.images = nil },
			"the image tools:1: images can be used only in Kubernetes"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, p := scriptWorld(t)
			tt.change(s)
			outcome := s.run(t, p)
			if f := outcome.Progress.Failure; f == nil || f.Reason != v1alpha1.ReasonPreflightFailed ||
				!strings.Contains(f.Message, tt.want) {
				t.Errorf("failure %+v, want %q", f, tt.want)
			}
			if len(s.trials) > 0 {
				t.Errorf("there are trials: %+v", s.trials)
			}
		})
	}
}
