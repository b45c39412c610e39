// SPDX-License-Identifier: Apache-2.0

package toolrun

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/workspace"
	"zfsbench.io/operator/internal/tools"
	"zfsbench.io/operator/internal/tools/fio"
)

// newRunner has a workspace, and a plan with two workloads.
func newRunner(t *testing.T) Runner {
	t.Helper()
	ws, err := workspace.New(t.TempDir(), "0c7c9a41-8a2e-4fbb-9f4d-1f2d3c4b5a69")
	if err != nil {
		t.Fatal(err)
	}
	p := plan.Plan{Workloads: []v1alpha1.Workload{{Name: "write", Fio: &v1alpha1.FioWorkload{}},
		{Name: "read", Fio: &v1alpha1.FioWorkload{}}}}
	return Runner{Workspace: ws, Plan: plan.Expand(p, nil), Deadline: plan.ToolDeadline, Now: time.Now,
		Log: slog.New(slog.DiscardHandler)}
}

// A tool that is not what it seems may leave anything where its report is expected.
func TestReportThatIsNoFile(t *testing.T) {
	tests := map[string]struct {
		leave func(path string) error
		want  string
	}{
		"a link":      {func(path string) error { return os.Symlink("/etc/passwd", path) }, "too many levels"},
		"a directory": {func(path string) error { return os.Mkdir(path, 0o700) }, "not a regular file"},
		"a pipe":      {func(path string) error { return syscall.Mkfifo(path, 0o600) }, "not a regular file"},
		"nothing":     {func(string) error { return nil }, "fio wrote no report"},
		"no report": {func(path string) error { return os.WriteFile(path, []byte("hello\n"), 0o600) },
			"fio wrote no report"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e := newRunner(t)
			report := filepath.Join(e.Workspace.Output(), tools.ReportName)
			if err := errors.Join(e.Workspace.Make(), test.leave(report)); err != nil {
				t.Fatal(err)
			}
			if _, _, err := (fio.Tool{}).Read(tools.Output{Report: e.openReport}, false); err == nil ||
				!strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestOutputDirectoryIsTheToolsAndEmpty(t *testing.T) {
	e := newRunner(t)
	if err := errors.Join(e.Workspace.Make(), os.WriteFile(filepath.Join(e.Workspace.Output(), "old"), nil, 0o600),
		e.emptyOutput("[job]\n")); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(e.Workspace.Output())
	if err != nil || len(entries) != 1 || entries[0].Name() != tools.InputName {
		t.Errorf("holds %v, error %v", entries, err)
	}
	info, err := os.Stat(e.Workspace.Output())
	if owner, ok := info.Sys().(*syscall.Stat_t); err != nil || !ok || owner.Uid != sandbox.User {
		t.Errorf("owner %+v, error %v", info.Sys(), err)
	}
}

func TestEndedBadly(t *testing.T) {
	tests := map[string]struct {
		ended sandbox.Result
		want  string
	}{
		"well":      {want: "<nil>"},
		"exit code": {sandbox.Result{ExitCode: 3}, "fio ended with exit code 3"},
		"signal":    {sandbox.Result{ExitCode: -1, Signal: syscall.SIGKILL}, `fio was ended by signal "killed"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := "<nil>"
			if err := endedBadly("fio", test.ended); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestLiveProgress(t *testing.T) {
	e := newRunner(t)
	var got result.CurrentTrial
	e.Progress = func(change func(*result.CurrentTrial)) { change(&got) }
	live := e.liveProgress(fio.Tool{}, Options{Position: 1})
	line := "Jobs: 1 (f=1): [R(1)][50.0%][r=2048KiB/s,w=1024KiB/s][r=3,w=5 IOPS][eta 00m:01s]\r"
	for i := range len(line) { // in pieces of any size
		if _, err := live.Write([]byte{line[i]}); err != nil {
			t.Fatal(err)
		}
	}
	want := result.CurrentTrial{Percent: 75, ReadBytesPerSecond: 2 << 20, WriteBytesPerSecond: 1 << 20}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if e.liveProgress(fio.Tool{}, Options{Layout: true}) != io.Discard {
		t.Error("laying out has progress")
	}
}

func TestTail(t *testing.T) {
	w := &tailWriter{}
	for range 1000 {
		if _, err := w.Write([]byte("0123456789\n")); err != nil {
			t.Fatal(err)
		}
	}
	if got := tailOf(w.String()); len(got) > tailBytes || !strings.HasSuffix(got, "0123456789") ||
		cap(w.kept) > 8*tailBytes {
		t.Errorf("%d bytes, capacity %d", len(got), cap(w.kept))
	}
	if got := tailOf("\n a \n"); got != "a" {
		t.Errorf("got %q", got)
	}
}

// TestToolGetsWhatItsWorkloadNeeds and nothing that only another one needs.
func TestToolGetsWhatItsWorkloadNeeds(t *testing.T) {
	job := v1alpha1.FioWorkload{RW: "write", BS: "4k", Size: resource.MustParse("1Mi"), NumJobs: 3}
	uring := job
	uring.IOEngine, uring.IODepth = "io_uring", 8
	tests := map[string]struct {
		workload v1alpha1.FioWorkload
		layout   bool
		want     bool
	}{
		"psync":              {workload: job},
		"io_uring":           {workload: uring, want: true},
		"layout of io_uring": {workload: uring, layout: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e := newRunner(t)
			var got sandbox.Command
			e.Tool = func(_ context.Context, cmd sandbox.Command) (sandbox.Result, error) {
				got = cmd
				return sandbox.Result{}, errors.New("enough")
			}
			if err := e.Workspace.Make(); err != nil {
				t.Fatal(err)
			}
			_, err := e.Run(t.Context(), Target{Check: func(context.Context) error { return nil }},
				plan.Run{Workload: v1alpha1.Workload{Name: "w", Fio: &test.workload}},
				Options{Layout: test.layout})
			if err == nil || err.Error() != "enough" {
				t.Fatal(err)
			}
			needs := fio.NeedsOf(test.workload)
			if want := (sandbox.Limits{Tasks: needs.Tasks, DataBytes: needs.DataBytes}); got.IOUring != test.want ||
				got.Limits != want {
				t.Errorf("io_uring %t, limits %+v; want %t, %+v", got.IOUring, got.Limits, test.want, want)
			}
		})
	}
}

// A sample has the beginning of a long command, so that it fits into its document.
func TestRecorded(t *testing.T) {
	long := []string{"sh", "-c", strings.Repeat("x", recordedBytes), "never"}
	want := []string{"sh", "-c", strings.Repeat("x", recordedBytes-4) + "…"}
	if diff := cmp.Diff(want, recorded(long)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if short := long[:2]; !slices.Equal(recorded(short), short) {
		t.Errorf("%q", recorded(short))
	}
}
