// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/runner/toolrun"
)

// externalTools plays iozone, fs_mark and dbench with what the real ones have printed.
type externalTools struct {
	*world
	started []sandbox.Command
	// printed is what each of them prints, exit how they end.
	printed map[string]string
	exit    int
}

func (x *externalTools) tool(_ context.Context, cmd sandbox.Command) (sandbox.Result, error) {
	switch cmd.Argv[1] {
	case "-v":
		if cmd.Argv[0] == "iozone" {
			_, _ = fmt.Fprint(cmd.Stdout, x.printed["iozone"])
			return sandbox.Result{}, nil
		}
	case "-h":
		_, _ = fmt.Fprint(cmd.Stderr, "Usage: fs_mark\n\t-h <print usage and exit>\n")
		return sandbox.Result{ExitCode: 1}, nil
	case "--help":
		_, _ = fmt.Fprint(cmd.Stdout, "dbench version 4.00 - Copyright Andrew Tridgell 1999-2004\n\nUsage: [OPTION...]\n")
		return sandbox.Result{}, nil
	}
	x.started = append(x.started, cmd)
	if cmd.Ready != nil {
		cmd.Ready()
	}
	_, _ = fmt.Fprint(cmd.Stdout, x.printed[cmd.Argv[0]])
	return sandbox.Result{ExitCode: x.exit, CPUTime: time.Second}, nil
}

func externalWorld(t *testing.T) (*externalTools, plan.Plan) {
	t.Helper()
	w := newWorld(t)
	p := testPlan(w)
	p.Trials = p.Trials[:1]
	p.Workloads = []v1alpha1.Workload{
		{Name: "records", Iozone: &v1alpha1.IozoneWorkload{Size: resource.MustParse("16Mi"),
			RecordSize: ptr.To(resource.MustParse("64Ki")), IncludeFlush: true, IncludeClose: true}},
		{Name: "marks", Fsmark: &v1alpha1.FsmarkWorkload{Files: 200, Threads: 4, Directories: 2}},
		{Name: "clients", Dbench: &v1alpha1.DbenchWorkload{Clients: 2,
			Runtime: &metav1.Duration{Duration: 10 * time.Second}}},
	}
	return &externalTools{world: w, printed: map[string]string{
		"iozone":  fixtureOf(t, "iozone/testdata/iozone-3.507-default.txt"),
		"fs_mark": fixtureOf(t, "fsmark/testdata/fs_mark-3.3-default.txt"),
		"dbench":  fixtureOf(t, "dbench/testdata/dbench-4.00-default.txt"),
	}}, p
}

// The tools are started in the sandbox as they need it, and what they measured is in the sample.
func TestExternalTools(t *testing.T) {
	x, p := externalWorld(t)
	e := x.engine(p)
	e.Tool = x.tool
	if outcome := e.Execute(t.Context()); outcome.Err != nil {
		t.Fatal(outcome.Err)
	}
	trial := x.trials[0]
	if trial.Failure != nil || len(trial.Samples) != 3 {
		t.Fatalf("%+v", trial)
	}
	var measured []string
	for _, s := range trial.Samples {
		measured = append(measured, fmt.Sprintf("%s by %s: %s and %d more", s.Workload, s.ToolVersion, s.Phases[0].Name,
			len(s.Phases)-1))
	}
	want := []string{"records by iozone-3.507: write and 5 more", "marks by fs_mark-3.3: create and 5 more",
		"clients by dbench-4.00: throughput and 14 more"}
	if diff := cmp.Diff(want, measured); diff != "" {
		t.Errorf("measured (-want +got):\n%s", diff)
	}
	var started []string
	for _, cmd := range x.started {
		started = append(started, fmt.Sprintf("%s tasks=%d data=%d", strings.Join(cmd.Argv, " "), cmd.Limits.Tasks,
			cmd.Limits.DataBytes))
		if cmd.UID != sandbox.User || cmd.Self {
			t.Errorf("%s started as %d", cmd.Argv[0], cmd.UID)
		}
	}
	want = []string{
		"iozone -s 16384k -r 64k -i 0 -i 1 -i 2 -e -c -f /target/iozone tasks=2 data=0",
		"fs_mark -v -d /target/fsmark00 -d /target/fsmark01 -n 200 -s 51200 -w 16384 -t 4 -S 1 -l /out/fsmark.log " +
			"tasks=5 data=102400",
		"dbench -D /target -t 10 2 tasks=3 data=0",
	}
	if diff := cmp.Diff(want, started); diff != "" {
		t.Errorf("started (-want +got):\n%s", diff)
	}
}

// A tool that fails fails the trial, with what it printed, also on standard output.
func TestExternalToolsFail(t *testing.T) {
	tests := map[string]struct{ tool, fixture, want, tail string }{
		"iozone": {"iozone", "iozone/testdata/iozone-3.507-full.txt",
			"iozone ended with exit code 1: iozone wrote no report", "Error writing block"},
		"fs_mark": {"fs_mark", "fsmark/testdata/fs_mark-3.3-full.txt",
			"fs_mark ended with exit code 1: fs_mark wrote no report", "Insufficient free space"},
		"dbench": {"dbench", "dbench/testdata/dbench-4.00-full.txt", "dbench ended with exit code 1: dbench wrote no report",
			"No space left on device"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			x, p := externalWorld(t)
			p.Workloads = slices.DeleteFunc(p.Workloads, func(w v1alpha1.Workload) bool {
				program, err := toolrun.Of(w)
				return err != nil || program.Name() != tt.tool
			})
			x.printed[tt.tool], x.exit = fixtureOf(t, tt.fixture), 1
			e := x.engine(p)
			e.Tool = x.tool
			e.Execute(t.Context())
			failure := x.trials[0].Failure
			if failure == nil || failure.Reason != v1alpha1.ReasonWorkloadFailed ||
				!strings.Contains(failure.Message, tt.want) || !strings.Contains(failure.Tail, tt.tail) {
				t.Errorf("failure %+v, want %q and %q", failure, tt.want, tt.tail)
			}
		})
	}
}

// A runner that was built without iozone says so, and how it comes to have it, before anything is made.
func TestIozoneIsNamedWhereItIsMissing(t *testing.T) {
	x, p := externalWorld(t)
	e := x.engine(p)
	e.Tool = func(_ context.Context, cmd sandbox.Command) (sandbox.Result, error) {
		if cmd.Argv[0] == "iozone" {
			return sandbox.Result{}, &sandbox.SetupError{Message: "iozone: program not found"}
		}
		return x.tool(t.Context(), cmd)
	}
	outcome := e.Execute(t.Context())
	f := outcome.Progress.Failure
	if f == nil || f.Reason != v1alpha1.ReasonPreflightFailed ||
		!strings.Contains(f.Message, "The sandbox does not run iozone") ||
		!strings.Contains(f.Message, "--build-arg IOZONE=true") {
		t.Errorf("failure %+v", f)
	}
	if len(x.started) > 0 {
		t.Errorf("started %v", x.started)
	}
}
