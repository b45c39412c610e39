// SPDX-License-Identifier: Apache-2.0

package toolrun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/workspace"
	"zfsbench.io/operator/internal/tools"
	"zfsbench.io/operator/internal/tools/fio"
	"zfsbench.io/operator/internal/tools/registry"
	"zfsbench.io/operator/internal/tools/toolreport"
)

const (
	// tailBytes limits the end of a tool's output that is kept for messages.
	tailBytes = 2 << 10
	// printedBytes limits both the beginning and the end of a tool's standard output that are kept.
	printedBytes = 64 << 10
)

// Tool runs a measuring tool; sandbox.Run is the real one.
type Tool func(ctx context.Context, cmd sandbox.Command) (sandbox.Result, error)

// Runner runs tools in the sandbox.
type Runner struct {
	Tool Tool
	// Images is nil without Kubernetes.
	Images Images
	// Corpora is the directory in which the volumes of plan.CorpusClaims are mounted, by their numbers; empty without
	// Kubernetes.
	Corpora   string
	Workspace workspace.Workspace
	Plan      plan.Expanded
	Digest    string
	// PullPatience is how long a runner waits for its images before it begins. If one cannot be pulled, the manager ends
	// the runner earlier. ImagePatience is how long it waits for a lost image until another pod holds it.
	PullPatience, ImagePatience time.Duration
	// Deadline is how long a workload's tool may run.
	Deadline func(plan.Expanded, v1alpha1.Workload) time.Duration
	// Progress changes the current trial in the progress.
	Progress func(change func(*result.CurrentTrial))
	Now      func() time.Time
	Log      *slog.Logger
}

// Target is what a tool runs on.
type Target struct {
	// Trial is the index of the trial.
	Trial int
	// Device is the block device that the tool uses; empty for the files in the workspace's target directory.
	Device string
	// Children are the directories of the dataset's children, by name.
	Children map[string]string
	// Check proves, right before the tool starts, that the target is still there.
	Check func(context.Context) error
}

// Options are what differs between runs of a workload's tool.
type Options struct {
	// Layout writes files and measures nothing.
	Layout bool
	// Position is the workload's place in the plan, for the progress.
	Position int
	// Ready is called when the sandbox is set up, just before the tool starts.
	Ready func()
	// Interrupt, when closed, makes the tool end and report what it has measured so far; nil for a tool that ends by
	// itself.
	Interrupt <-chan struct{}
}

// Run is a successful run of a tool.
type Run struct {
	Argv  []string
	Input string
	// Sample is empty after a layout.
	Sample result.Sample
	CPU    time.Duration
}

// toolError is a failed run of a tool, with the end of its output.
type toolError struct {
	err  error
	tail string
}

func (e *toolError) Error() string { return e.err.Error() }

func (e *toolError) Unwrap() error { return e.err }

// Tail is the end of the tool's output.
func (e *toolError) Tail() string { return e.tail }

// Of is the tool of a workload.
func Of(w v1alpha1.Workload) (tools.Tool, error) {
	if tool := registry.Of(w); tool != nil {
		return tool, nil
	}
	return nil, errors.New("this runner does not know its tool")
}

// isNoReport says whether a tool failed before it wrote a report.
func isNoReport(err error) bool {
	var missing *toolreport.MissingError
	return errors.As(err, &missing)
}

// Run runs a workload's tool in the sandbox and reads its report.
func (t Runner) Run(ctx context.Context, on Target, r plan.Run, o Options) (Run, error) {
	program, err := Of(r.Single())
	if err != nil {
		return Run{}, err
	}
	return t.RunProgram(ctx, on, r, program, o)
}

// RunProgram runs a tool for a workload.
func (t Runner) RunProgram(ctx context.Context, on Target, r plan.Run, program tools.Program,
	o Options) (Run, error) {
	place := tools.Place{
		Directory: sandbox.TargetDir, Children: sandbox.ChildrenDir, Output: sandbox.OutputDir, Source: sandbox.SourceDir,
		Layout: o.Layout,
		Seed:   fio.Seed(t.Digest, on.Trial, seedName(r), o.Layout),
	}
	w, from := r.Single(), t.Workspace.Target()
	if on.Device != "" {
		if w.Fio == nil {
			return Run{}, fmt.Errorf("%s needs a filesystem, and this is a block device", program.Name())
		}
		place.Directory, place.Device = "", sandbox.TargetDevice
		from = on.Device
	}
	if err := on.Check(ctx); err != nil {
		return Run{}, err
	}
	start, err := program.Start(place)
	if err != nil {
		return Run{}, err
	}
	if err := t.emptyOutput(start.Input); err != nil {
		return Run{}, err
	}
	image, errImage := t.imageRoot(ctx, start.Image)
	source, errSource := t.sourceRoot(ctx, start.Source)
	if err := errors.Join(errImage, errSource); err != nil {
		return Run{}, err
	}
	run, out := Run{Input: start.Input, Argv: recorded(start.Argv)}, t.Workspace.Output()
	if start.NoOutput {
		out = ""
	}
	stderr, printed := &tailWriter{}, &edgesWriter{}
	ctx, cancel := t.WithDeadline(ctx, w, program.Name())
	defer cancel()
	began := t.Now()
	ended, err := t.Tool(ctx, sandbox.Command{
		Argv: start.Argv, Self: start.Self, Target: from, Children: on.Children, Output: out, Root: t.Workspace.Sandbox(),
		Image: image, Source: source, UID: sandbox.User, GID: sandbox.User,
		NamedUser: start.NamedUser, IOUring: start.IOUring, Limits: sandbox.Limits(start.Limits),
		Stdout: io.MultiWriter(printed, t.liveProgress(program, o)), Stderr: stderr, Ready: o.Ready, Interrupt: o.Interrupt,
	})
	var late *lateError
	switch {
	case errors.As(context.Cause(ctx), &late) && err != nil:
		return Run{}, &toolError{err: late, tail: tailOf(printed.String() + "\n" + stderr.String())}
	case err != nil:
		return Run{}, errors.Join(err, context.Cause(ctx))
	}
	if err := t.checkImages(start.Image, start.Source.Image); err != nil {
		return Run{}, &toolError{err: err, tail: tailOf(stderr.String())}
	}
	run.CPU = ended.CPUTime
	sample, notes, err := program.Read(tools.Output{Report: t.openReport, Printed: printed.String(),
		Took: t.Now().Sub(began)}, o.Layout)
	run.Sample = sample
	bad := endedBadly(program.Name(), ended)
	if IsClosed(o.Interrupt) && ended.ExitCode == fio.InterruptedCode {
		bad = nil
	}
	switch {
	case err == nil:
		err = bad
	case bad != nil && isNoReport(err):
		err = fmt.Errorf("%w: %w", bad, err)
	}
	if err != nil {
		return Run{}, &toolError{err: err, tail: tailOf(strings.Join(notes, "\n") + "\n" + stderr.String())}
	}
	return run, nil
}

// recordedBytes limits an argument vector in a sample: a script can be long, and the plan has all of it.
const recordedBytes = 1 << 10

// recorded shortens arguments to recordedBytes.
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

// seedName is what the seed of a run is made from. Later passes have another name, so that they do not repeat the
// blocks of the first one.
func seedName(r plan.Run) string {
	if !r.IsLater() {
		return r.Workload.Name
	}
	return r.Name()
}

// lateError says that a tool was killed because it took too long.
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
	return fmt.Sprintf("%s had not ended after %s, three times the estimate for slow disks (%s), and was killed; a "+
		"longer timeout of the benchmark gives it more time", e.tool, e.time, plan.SlowDisk)
}

// WithDeadline ends a tool that hangs, so that the trials after it get their turn.
func (t Runner) WithDeadline(ctx context.Context, w v1alpha1.Workload, name string) (context.Context,
	context.CancelFunc) {
	deadline := t.Deadline(t.Plan, w)
	return context.WithTimeoutCause(ctx, deadline, &lateError{name, deadline, plan.TimeLimit(w) > 0})
}

// IsClosed says whether a channel is closed. Nothing must ever be sent to it; nil counts as open.
func IsClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// endedBadly is an error if a tool was ended by a signal or has failed.
func endedBadly(name string, ended sandbox.Result) error {
	switch {
	case ended.Signal != 0:
		return fmt.Errorf("%s was ended by signal %q", name, ended.Signal)
	case ended.ExitCode != 0:
		return fmt.Errorf("%s ended with exit code %d", name, ended.ExitCode)
	}
	return nil
}

// liveProgress turns what a tool prints into progress, as it comes.
func (t Runner) liveProgress(program tools.Program, o Options) io.Writer {
	if o.Layout {
		return io.Discard
	}
	status := program.Live()
	return writerFunc(func(p []byte) (int, error) {
		n, err := status.Write(p)
		if now, ok := status.Last(); ok {
			t.Progress(func(p *result.CurrentTrial) {
				p.Percent = (o.Position*100 + now.Percent) / len(t.Plan.Runs())
				p.ReadBytesPerSecond, p.WriteBytesPerSecond = now.ReadBytesPerSecond, now.WriteBytesPerSecond
			})
		}
		return n, err
	})
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
