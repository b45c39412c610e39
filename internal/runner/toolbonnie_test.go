// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/testfiles"
	"zfsbench.io/operator/internal/tools"
)

// otherTools plays bonnie++ and the runner itself with what the real ones have printed and written.
type otherTools struct {
	*world
	// started are the commands, without those for versions.
	started []sandbox.Command
	// csv is what bonnie++ prints, report what the tree's program writes; exit is how they end.
	csv, report string
	exit        int
}

func (o *otherTools) tool(_ context.Context, cmd sandbox.Command) (sandbox.Result, error) {
	if slices.Contains(cmd.Argv, "-h") {
		_, _ = fmt.Fprint(cmd.Stderr, "bonnie++: invalid option -- 'h'\nusage:\n\nVersion: 2.00a\n")
		return sandbox.Result{ExitCode: 1}, nil
	}
	if slices.Contains(cmd.Argv, "--version") {
		_, _ = fmt.Fprintln(cmd.Stdout, "runner version v0.1.0")
		return sandbox.Result{}, nil
	}
	o.started = append(o.started, cmd)
	if cmd.Ready != nil {
		cmd.Ready()
	}
	if cmd.Argv[0] == "bonnie++" {
		_, _ = fmt.Fprint(cmd.Stdout, o.csv)
	} else {
		_, _ = fmt.Fprint(cmd.Stdout, "create 42\n")
		if err := os.WriteFile(filepath.Join(cmd.Output, tools.ReportName), []byte(o.report), 0o600); err != nil {
			return sandbox.Result{}, err
		}
	}
	_, _ = fmt.Fprint(cmd.Stderr, "what it says\n")
	return sandbox.Result{ExitCode: o.exit, CPUTime: time.Second}, nil
}

func fixtureOf(t *testing.T, path string) string {
	t.Helper()
	return testfiles.Read(t, "..", "tools", filepath.FromSlash(path))
}

// otherWorld is a plan of one trial with both tools.
func otherWorld(t *testing.T) (*otherTools, plan.Plan) {
	t.Helper()
	w := newWorld(t)
	p := testPlan(w)
	p.Trials = p.Trials[:1]
	p.Workloads = []v1alpha1.Workload{
		{Name: "classic", Bonnie: &v1alpha1.BonnieWorkload{Size: ptr.To(resource.MustParse("3Gi")), Fast: true,
			Files: &v1alpha1.BonnieFiles{Count: 48}}},
		{Name: "files", Tree: &v1alpha1.TreeWorkload{Workers: 2, Phases: []v1alpha1.TreePhase{"stat", "delete"}}},
	}
	return &otherTools{world: w, csv: fixtureOf(t, "bonnie/testdata/bonnie-2.00a-full.csv"),
		report: fixtureOf(t, "tree/testdata/report.json")}, p
}

func (o *otherTools) run(t *testing.T, p plan.Plan) Outcome {
	t.Helper()
	e := o.engine(p)
	e.Tool = o.tool
	return e.Execute(t.Context())
}

// Both tools are started in the sandbox as they need it, a tree is made before it is only looked at, and what they
// measured is in the sample.
func TestBonnieAndTree(t *testing.T) {
	o, p := otherWorld(t)
	if outcome := o.run(t, p); outcome.Err != nil {
		t.Fatal(outcome.Err)
	}
	trial := o.trials[0]
	if trial.Failure != nil || len(trial.Samples) != 2 {
		t.Fatalf("%+v", trial)
	}
	var operations []string
	for _, s := range trial.Samples {
		for _, performed := range s.Operations() {
			operations = append(operations, s.Workload+" "+performed.Name)
		}
	}
	want := []string{
		"classic write", "classic rewrite", "classic read", "classic seek", "classic sequentialCreate",
		"classic sequentialStat", "classic sequentialDelete", "classic randomCreate",
		"classic randomStat", "files create", "files stat", "files rewrite", "files read", "files delete",
	}
	if diff := cmp.Diff(want, operations); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
	if s := trial.Samples[0]; s.ToolVersion != "bonnie++-2.00a" || s.CacheState != "Cold" || s.ToolCPUSeconds != 1 ||
		!slices.Contains(s.Argv, "-f") {
		t.Errorf("classic: %+v", s)
	}
	var started []string
	for _, cmd := range o.started {
		started = append(started, fmt.Sprintf("%s self=%t tasks=%d", strings.Join(cmd.Argv[:2], " "), cmd.Self,
			cmd.Limits.Tasks))
		if cmd.UID != sandbox.User || filepath.Base(cmd.Target) != "target" {
			t.Errorf("started as %d on %q", cmd.UID, cmd.Target)
		}
	}
	if diff := cmp.Diff([]string{"bonnie++ -d self=false tasks=16", "runner tree self=true tasks=66",
		"runner tree self=true tasks=66"}, started); diff != "" {
		t.Errorf("started (-want +got):\n%s", diff)
	}
	layout, measured := o.started[1].Argv, o.started[2].Argv
	if !slices.Contains(layout, "--phases=create") || !slices.Contains(measured, "--phases=stat,delete") ||
		!slices.Contains(measured, "--directory=/target/files") {
		t.Errorf("layout %q\nmeasured %q", layout, measured)
	}
}

// A tool that fails, or says what nobody understands, fails the trial with what it said.
func TestBonnieAndTreeFail(t *testing.T) {
	tests := map[string]struct {
		change func(*otherTools, *plan.Plan)
		want   string
	}{
		"bonnie++ ends badly": {func(o *otherTools, _ *plan.Plan) { o.csv, o.exit = "", 1 },
			"bonnie++ ended with exit code 1: bonnie++ wrote no report"},
		"bonnie++ is odd": {func(o *otherTools, _ *plan.Plan) { o.csv = "hello\n" }, "this build reads format 1.98"},
		"the tree fails": {func(o *otherTools, _ *plan.Plan) {
			o.report = `{"version": "v1", "failure": "create: mkdir: no space"}`
		}, "create: mkdir: no space"},
		"no report": {func(o *otherTools, _ *plan.Plan) { o.report = "" }, "tree wrote no report"},
		"no whole tree": {func(o *otherTools, _ *plan.Plan) {
			o.report = strings.Replace(o.report, `"name":"create"`, `"name":"create","ended":"NoSpace"`, 1)
		}, "no space for all of the files"},
		"a block device": {func(_ *otherTools, p *plan.Plan) {
			p.Variants[0].Dataset = v1alpha1.DatasetSpec{Type: v1alpha1.DatasetVolume,
				Volume: &v1alpha1.VolumeSpec{Size: resource.MustParse("64Mi")}}
		}, "bonnie++ needs a filesystem"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o, p := otherWorld(t)
			tt.change(o, &p)
			o.run(t, p)
			failure := o.trials[0].Failure
			if failure == nil || failure.Reason != v1alpha1.ReasonWorkloadFailed || !strings.Contains(failure.Message, tt.want) {
				t.Errorf("failure %+v, want %q", failure, tt.want)
			}
			if len(o.pools) > 1 {
				t.Errorf("pools are left: %v", o.pools)
			}
		})
	}
}

// A tool that the runner lacks is found before anything is made.
func TestBonnieAndTreeAreLookedFor(t *testing.T) {
	o, p := otherWorld(t)
	e := o.engine(p)
	e.Tool = func(_ context.Context, cmd sandbox.Command) (sandbox.Result, error) {
		if cmd.Argv[0] == "bonnie++" {
			return sandbox.Result{}, &sandbox.SetupError{Message: "bonnie++: program not found"}
		}
		return o.tool(t.Context(), cmd)
	}
	outcome := e.Execute(t.Context())
	if f := outcome.Progress.Failure; f == nil || f.Reason != v1alpha1.ReasonPreflightFailed ||
		!strings.Contains(f.Message, "The sandbox does not run bonnie++") {
		t.Errorf("failure %+v", f)
	}
}
