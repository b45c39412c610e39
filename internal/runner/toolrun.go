// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/target"
	"zfsbench.io/operator/internal/tools"
	"zfsbench.io/operator/internal/tools/fio"
	"zfsbench.io/operator/internal/tools/registry"
	"zfsbench.io/operator/internal/tools/toolreport"
)

const (
	// tailBytes bounds what is kept of a tool's output.
	tailBytes = 2 << 10
	// printedBytes bounds what is kept of what a tool prints on standard output, at its beginning and as much at its end.
	printedBytes = 64 << 10
)

// runOptions are what differs between runs of a workload's tool.
type runOptions struct {
	// layout writes files and measures nothing.
	layout bool
	// position is the workload's place in the plan, for the progress.
	position int
	// ready is called when the sandbox stands, just before the tool starts.
	ready func()
	// interrupt, when it is closed, asks the tool to end and say what it has measured by then; nil for a tool that ends by
	// itself.
	interrupt <-chan struct{}
}

// toolRun is a run of a tool that ended well.
type toolRun struct {
	argv  []string
	input string
	// sample is empty after a layout.
	sample result.Sample
	cpu    time.Duration
}

// toolError is a run of a tool that did not, with what it said.
type toolError struct {
	err  error
	tail string
}

func (e *toolError) Error() string { return e.err.Error() }

func (e *toolError) Unwrap() error { return e.err }

// Tail is the end of what the tool said.
func (e *toolError) Tail() string { return e.tail }

// toolOf is the tool of a workload.
func toolOf(w v1alpha1.Workload) (tools.Tool, error) {
	if tool := registry.Of(w); tool != nil {
		return tool, nil
	}
	return nil, errors.New("this runner does not know its tool")
}

// isNoReport says whether a tool did not get as far as writing a report.
func isNoReport(err error) bool {
	var missing *toolreport.MissingError
	return errors.As(err, &missing)
}

// runTool runs a workload's tool in the sandbox and reads its report.
func (e *Engine) runTool(ctx context.Context, t *target.Target, r plan.Run, o runOptions) (toolRun, error) {
	program, err := toolOf(r.Single())
	if err != nil {
		return toolRun{}, err
	}
	return e.runProgram(ctx, t, r, program, o)
}

// runProgram runs a tool for a workload.
func (e *Engine) runProgram(ctx context.Context, t *target.Target, r plan.Run, program tools.Program,
	o runOptions) (toolRun, error) {
	on := tools.Place{
		Directory: sandbox.TargetDir, Children: sandbox.ChildrenDir, Output: sandbox.OutputDir, Source: sandbox.SourceDir,
		Layout: o.layout,
		Seed:   fio.Seed(e.digest, t.Trial.Index, seedName(r), o.layout),
	}
	w, from := r.Single(), e.ws.Target()
	if t.Device != "" {
		if w.Fio == nil {
			return toolRun{}, fmt.Errorf("%s needs a filesystem, and this is a block device", program.Name())
		}
		on.Directory, on.Device = "", sandbox.TargetDevice
		from = t.Device
	}
	if err := e.host.CheckHeld(ctx, t); err != nil {
		return toolRun{}, err
	}
	start, err := program.Start(on)
	if err != nil {
		return toolRun{}, err
	}
	if err := e.emptyOutput(start.Input); err != nil {
		return toolRun{}, err
	}
	image, errImage := e.imageRoot(ctx, start.Image)
	source, errSource := e.sourceRoot(ctx, start.Source)
	if err := errors.Join(errImage, errSource); err != nil {
		return toolRun{}, err
	}
	run, out := toolRun{input: start.Input, argv: recorded(start.Argv)}, e.ws.Output()
	if start.NoOutput {
		out = ""
	}
	stderr, printed := &tailWriter{}, &edgesWriter{}
	ctx, cancel := e.withToolDeadline(ctx, w, program.Name())
	defer cancel()
	began := e.Now()
	ended, err := e.Tool(ctx, sandbox.Command{
		Argv: start.Argv, Self: start.Self, Target: from, Children: e.host.Children(t), Output: out, Root: e.ws.Sandbox(),
		Image: image, Source: source, UID: sandbox.User, GID: sandbox.User,
		NamedUser: start.NamedUser, IOUring: start.IOUring, Limits: sandbox.Limits(start.Limits),
		Stdout: io.MultiWriter(printed, e.liveProgress(program, o)), Stderr: stderr, Ready: o.ready, Interrupt: o.interrupt,
	})
	var late *lateError
	switch {
	case errors.As(context.Cause(ctx), &late) && err != nil:
		return toolRun{}, &toolError{err: late, tail: tailOf(printed.String() + "\n" + stderr.String())}
	case err != nil:
		return toolRun{}, errors.Join(err, context.Cause(ctx))
	}
	if err := e.checkImages(start.Image, start.Source.Image); err != nil {
		return toolRun{}, &toolError{err: err, tail: tailOf(stderr.String())}
	}
	run.cpu = ended.CPUTime
	sample, notes, err := program.Read(tools.Output{Report: e.openReport, Printed: printed.String(),
		Took: e.Now().Sub(began)}, o.layout)
	run.sample = sample
	bad := endedBadly(program.Name(), ended)
	if isClosed(o.interrupt) && ended.ExitCode == fio.InterruptedCode {
		bad = nil
	}
	switch {
	case err == nil:
		err = bad
	case bad != nil && isNoReport(err):
		err = fmt.Errorf("%w: %w", bad, err)
	}
	if err != nil {
		return toolRun{}, &toolError{err: err, tail: tailOf(strings.Join(notes, "\n") + "\n" + stderr.String())}
	}
	return run, nil
}

// recordedBytes is how much of an argument vector a sample has: a script's can be long, and is in the plan.
const recordedBytes = 1 << 10

// recorded are the arguments up to that length.
func recorded(argv []string) []string {
	left := recordedBytes
	for i, word := range argv {
		if len(word) > left {
			return append(slices.Clone(argv[:i]), strings.ToValidUTF8(word[:left], "")+"…")
		}
		left -= len(word)
	}
	return argv
}

// seedName is what the seed of a run is made from: a pass does not repeat the one before it, block for block.
func seedName(r plan.Run) string {
	if !r.IsLater() {
		return r.Workload.Name
	}
	return r.Name()
}

// lateError is a tool that was ended because its time was up.
type lateError struct {
	tool string
	time time.Duration
	// own says that it is the tool's own timeout.
	own bool
}

func (e *lateError) Error() string {
	if e.own {
		return fmt.Sprintf("%s had not ended after %s, its timeout, and was killed", e.tool, e.time)
	}
	return fmt.Sprintf("%s had not ended after %s, three times what slow disks (%s) would take, and was killed; a "+
		"longer timeout of the benchmark gives it more", e.tool, e.time, plan.SlowDisk)
}

// withToolDeadline ends a tool that hangs, so that the trials after it get their turn.
func (e *Engine) withToolDeadline(ctx context.Context, w v1alpha1.Workload, name string) (context.Context,
	context.CancelFunc) {
	deadline := e.timings.toolDeadline(e.expanded, w)
	return context.WithTimeoutCause(ctx, deadline, &lateError{name, deadline, plan.TimeLimit(w) > 0})
}

// isClosed says whether a channel that nothing is sent to is closed; nil is not.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// endedBadly says how a tool ended that did not say so itself.
func endedBadly(name string, ended sandbox.Result) error {
	switch {
	case ended.Signal != 0:
		return fmt.Errorf("%s was ended by signal %q", name, ended.Signal)
	case ended.ExitCode != 0:
		return fmt.Errorf("%s ended with exit code %d", name, ended.ExitCode)
	}
	return nil
}

// emptyOutput gives the tool an empty directory of its own, with its input if it has any.
func (e *Engine) emptyOutput(input string) error {
	dir := e.ws.Output()
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("empty the output directory: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("make the output directory: %w", err)
	}
	if input != "" {
		if err := os.WriteFile(filepath.Join(dir, tools.InputName), []byte(input), 0o644); err != nil {
			return fmt.Errorf("write the tool's input: %w", err)
		}
	}
	if err := os.Chown(dir, sandbox.User, sandbox.User); err != nil {
		return fmt.Errorf("give the output directory to the tools' user: %w", err)
	}
	return nil
}

// openReport opens what the tool wrote, or returns fs.ErrNotExist. The directory was the tool's: whatever is there in
// place of a file is not followed.
func (e *Engine) openReport(name string) (io.ReadCloser, error) {
	f, err := os.OpenFile(filepath.Join(e.ws.Output(), name), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open the tool's report: %w", err)
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(errors.New("the tool's report is no regular file"), err, f.Close())
	}
	return f, nil
}

// liveProgress turns what a tool prints into progress, as it comes.
func (e *Engine) liveProgress(program tools.Program, o runOptions) io.Writer {
	if o.layout {
		return io.Discard
	}
	status := program.Live()
	return writerFunc(func(p []byte) (int, error) {
		n, err := status.Write(p)
		if now, ok := status.Last(); ok {
			e.progress.update(func(p *result.Progress) {
				if p.Current == nil {
					return
				}
				p.Current.Percent = (o.position*100 + now.Percent) / len(e.plan.Runs())
				p.Current.ReadBytesPerSecond, p.Current.WriteBytesPerSecond = now.ReadBytesPerSecond, now.WriteBytesPerSecond
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

// headWriter keeps the beginning of what is written to it.
type headWriter struct{ kept []byte }

func (h *headWriter) Write(p []byte) (int, error) {
	h.kept = append(h.kept, p[:min(len(p), printedBytes-len(h.kept))]...)
	return len(p), nil
}

func (h *headWriter) String() string { return string(h.kept) }

// tailOf is the end of a text, without white space around it.
func tailOf(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > tailBytes {
		text = strings.ToValidUTF8(text[len(text)-tailBytes:], "")
	}
	return text
}
