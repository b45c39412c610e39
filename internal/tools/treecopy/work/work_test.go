// SPDX-License-Identifier: Apache-2.0

package work

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/tree"
	treework "zfsbench.io/operator/internal/tools/tree/work"
)

// laidOut is a tree of 7 directories and 14 files of 3 KiB, to be copied.
func laidOut(t *testing.T, tool v1alpha1.CopyTool) Options {
	t.Helper()
	dir := t.TempDir()
	shape := tree.Shape{Levels: 2, Directories: 2, Files: 2, FileBytes: 3 << 10}
	_, err := treework.Run(treework.Options{Directory: filepath.Join(dir, "from"), Shape: shape, Workers: 1,
		Phases: []v1alpha1.TreePhase{v1alpha1.TreeCreate}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return Options{Tool: tool, From: tree.Top(filepath.Join(dir, "from"), 0), To: filepath.Join(dir, "to"),
		Inodes: shape.Inodes(), Bytes: shape.FileCount() * shape.FileBytes}
}

// Both tools make the same of a tree.
func TestCopy(t *testing.T) {
	for _, tool := range []v1alpha1.CopyTool{v1alpha1.CopyCp, v1alpha1.CopyRsync} {
		t.Run(string(tool), func(t *testing.T) {
			o := laidOut(t, tool)
			report, err := Run(t.Context(), hostexec.Local(), o)
			if err != nil {
				t.Fatal(err)
			}
			if len(report.Phases) != 1 || !strings.HasPrefix(report.Measured, string(tool)+"-") {
				t.Fatalf("%+v", report)
			}
			p := report.Phases[0]
			if err := p.Check(); err != nil || p.Name != "copy" || p.IOs != 21 || p.Bytes != 14*3<<10 || !p.Copies ||
				p.Ended != "" || p.SyncNanoseconds <= 0 {
				t.Errorf("%v, %+v", err, p)
			}
			from, errFrom := os.ReadFile(filepath.Join(o.From, "d1", "d0", "f1"))
			to, errTo := os.ReadFile(filepath.Join(o.To, "d1", "d0", "f1"))
			if err := errors.Join(errFrom, errTo); err != nil || len(from) != 3<<10 || string(from) != string(to) {
				t.Errorf("%v: %d bytes, and %d in the copy", err, len(from), len(to))
			}
		})
	}
}

// part plays a tool that has made two directories and half a file when it ends with an error.
func part(t *testing.T, o Options, ended error) hostexec.Runner {
	t.Helper()
	return hostexectest.New(t,
		hostexectest.Answer{Match: "sandbox cp --version", Stdout: "cp (GNU coreutils) 9.7\n"},
		hostexectest.Answer{Match: "sandbox cp -a", Do: func(context.Context, hostexec.Cmd) (hostexec.Result, error) {
			err := os.MkdirAll(filepath.Join(o.To, "d0"), 0o700)
			if err == nil {
				err = os.WriteFile(filepath.Join(o.To, "f0"), make([]byte, 1000), 0o600)
			}
			if err != nil {
				t.Error(err)
			}
			return hostexec.Result{}, ended
		}},
	).Runner("sandbox")
}

// What is there when the time is over counts.
func TestCopyEndsInTime(t *testing.T) {
	o := laidOut(t, v1alpha1.CopyCp)
	report, err := Run(t.Context(), part(t, o, &hostexec.ExitError{Code: -1, Err: context.DeadlineExceeded}), o)
	if err != nil {
		t.Fatal(err)
	}
	if p := report.Phases[0]; p.Ended != result.EndedByTime || p.IOs != 3 || p.Bytes != 1000 ||
		report.Measured != "cp-9.7" {
		t.Errorf("%+v", report)
	}
}

func TestCopyFails(t *testing.T) {
	tests := map[string]struct {
		change func(*Options)
		run    func(*testing.T, Options) hostexec.Runner
		want   string
	}{
		"an unknown tool":    {change: func(o *Options) { o.Tool = "dd" }, want: `no such tool: "dd"`},
		"nothing to copy":    {change: func(o *Options) { o.From += "x" }, want: "exit code 1"},
		"too little to copy": {change: func(o *Options) { o.Inodes++ }, want: "cp copied 21 of 22 directories and files"},
		"not all": {run: func(t *testing.T, o Options) hostexec.Runner {
			return part(t, o, nil)
		}, want: "cp copied 3 of 21 directories and files, 1000 of 43008 bytes"},
		"no space": {run: func(t *testing.T, o Options) hostexec.Runner {
			return part(t, o, &hostexec.ExitError{Code: 1, Stderr: "cp: error writing: No space left on device"})
		}, want: "No space left on device"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o, runner := laidOut(t, v1alpha1.CopyCp), hostexec.Local()
			if tt.change != nil {
				tt.change(&o)
			}
			if tt.run != nil {
				runner = tt.run(t, o)
			}
			if _, err := Run(t.Context(), runner, o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
