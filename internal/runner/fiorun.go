// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/fio"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/sandbox"
)

const (
	jobFileName = "job.fio"
	reportName  = "fio.json"
	// tailBytes bounds what is kept of a tool's output.
	tailBytes = 2 << 10
)

// fioOptions are what differs between runs of fio.
type fioOptions struct {
	// layout writes files and measures nothing.
	layout bool
	// position is the workload's place in the plan, for the progress.
	position int
	// ready is called when the sandbox stands, just before fio starts.
	ready func()
}

// fioRun is a run of fio that ended well.
type fioRun struct {
	argv    []string
	jobFile string
	report  fio.Report
	cpu     time.Duration
	tail    string
}

// fioError is a run of fio that did not, with what it said.
type fioError struct {
	err  error
	tail string
}

func (e *fioError) Error() string { return e.err.Error() }

func (e *fioError) Unwrap() error { return e.err }

// runFio runs one job in the sandbox and reads its report.
func (e *Engine) runFio(ctx context.Context, t *target, w v1alpha1.Workload, o fioOptions) (fioRun, error) {
	at := fio.Target{Directory: sandbox.TargetDir, Layout: o.layout, Seed: fio.Seed(e.digest, t.trial.Index, w.Name, o.layout)}
	from := e.ws.target()
	if t.device != "" {
		at.Directory, at.Device = "", sandbox.TargetDevice
		from = t.device
	}
	jobFile, err := fio.JobFile(*w.Fio, at)
	if err != nil {
		return fioRun{}, err
	}
	if err := e.emptyOutput(jobFile); err != nil {
		return fioRun{}, err
	}
	run := fioRun{jobFile: jobFile, argv: fio.Argv(sandbox.OutputDir+"/"+jobFileName, sandbox.OutputDir+"/"+reportName)}
	stderr, needs := &tailWriter{}, fio.NeedsOf(*w.Fio)
	ended, err := e.Tool(ctx, sandbox.Command{
		Argv: run.argv, Target: from, Output: e.ws.output(), Root: e.ws.sandbox(), UID: sandbox.User, GID: sandbox.User,
		IOUring: needs.IOUring && !o.layout, Limits: sandbox.Limits{Tasks: needs.Tasks, DataBytes: needs.DataBytes},
		Stdout: e.liveProgress(o), Stderr: stderr, Ready: o.ready,
	})
	if err != nil {
		return fioRun{}, errors.Join(err, context.Cause(ctx))
	}
	run.cpu = ended.CPUTime
	report, err := e.readReport()
	run.report, run.tail = report, tailOf(strings.Join(report.Notes, "\n")+"\n"+stderr.String())
	if err == nil {
		err = endedBadly(ended)
	}
	if err != nil {
		return fioRun{}, &fioError{err: err, tail: run.tail}
	}
	return run, nil
}

// endedBadly says how a tool ended that did not say so itself.
func endedBadly(ended sandbox.Result) error {
	switch {
	case ended.Signal != 0:
		return fmt.Errorf("fio was ended by signal %q", ended.Signal)
	case ended.ExitCode != 0:
		return fmt.Errorf("fio ended with exit code %d", ended.ExitCode)
	}
	return nil
}

// emptyOutput gives the tool an empty directory of its own with its job file.
func (e *Engine) emptyOutput(jobFile string) error {
	dir := e.ws.output()
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("empty the output directory: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("make the output directory: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, jobFileName), []byte(jobFile), 0o644); err != nil {
		return fmt.Errorf("write the job file: %w", err)
	}
	if err := os.Chown(dir, sandbox.User, sandbox.User); err != nil {
		return fmt.Errorf("give the output directory to the tools' user: %w", err)
	}
	return nil
}

// readReport reads what the tool wrote. The directory was the tool's: whatever is there in place of a file is not followed.
func (e *Engine) readReport() (fio.Report, error) {
	f, err := os.OpenFile(filepath.Join(e.ws.output(), reportName), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return fio.Report{}, fio.ErrNoReport
	}
	if err != nil {
		return fio.Report{}, fmt.Errorf("open fio's report: %w", err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return fio.Report{}, errors.Join(errors.New("fio's report is no regular file"), err)
	}
	return fio.ParseOutput(f)
}

// liveProgress turns fio's status lines into progress, as they come.
func (e *Engine) liveProgress(o fioOptions) io.Writer {
	if o.layout {
		return nil
	}
	status := &fio.StatusDecoder{}
	return writerFunc(func(p []byte) (int, error) {
		n, err := status.Write(p)
		if s, ok := status.Last(); ok {
			e.progress.update(func(p *result.Progress) {
				if p.Current == nil {
					return
				}
				p.Current.Percent = (o.position*100 + s.Percent) / len(e.plan.Workloads)
				p.Current.ReadBytesPerSecond, p.Current.WriteBytesPerSecond = s.ReadBytesPerSecond, s.WriteBytesPerSecond
			})
		}
		return n, err
	})
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// tailWriter keeps the end of what is written to it.
type tailWriter struct{ kept []byte }

func (t *tailWriter) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if len(t.kept) > 2*tailBytes {
		t.kept = append([]byte{}, t.kept[len(t.kept)-tailBytes:]...)
	}
	return len(p), nil
}

func (t *tailWriter) String() string { return string(t.kept) }

// tailOf is the end of a text, without white space around it.
func tailOf(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > tailBytes {
		text = strings.ToValidUTF8(text[len(text)-tailBytes:], "")
	}
	return text
}
