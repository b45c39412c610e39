// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

const (
	// TargetDir is where a tool finds a target that is a directory.
	TargetDir = "/target"
	// TargetDevice is where a tool finds a target that is a block device.
	TargetDevice = "/dev/target"
	// SourceDir is where a tool finds Command.Source.
	SourceDir = "/source"
	// TemporaryDir is where a program of an image has memory for temporary files.
	TemporaryDir = "/tmp"
	// TemporaryBytes is the size of TemporaryDir.
	TemporaryBytes = 64 << 20
	// ChildrenDir is where a tool finds the directories of Command.Children.
	ChildrenDir = "/children"
	// OutputDir is where a tool finds Command.Output.
	OutputDir = "/out"
	// Subcommand is the argument after which the runner's main must call Init.
	Subcommand = "sandbox-init"
	// User is the number of the user and the group that tools run as. It is in a range that systemd's table of users
	// assigns to nobody (1879048192 to 2147483647), so nothing else on a node runs as it or owns files as it. That
	// matters because processes are counted by user; 65534 is shared with other software.
	User = 0x7a667362
	// UserName is the name of the tool's user with Command.NamedUser.
	UserName = "zfsbench"
)

// killPatience is how long a killed tool may still exist before Run gives up on it.
const killPatience = 10 * time.Second

// Command is a tool to run.
type Command struct {
	// Argv is the tool's argument vector; Argv[0] is looked up in the usual directories of the runner's own file system.
	Argv []string
	// Self says that the tool is the runner itself, whatever Argv[0] is and wherever the runner's file is.
	Self bool
	// Target is a directory, bound at TargetDir, or a block device, available as TargetDevice. The tool may write to
	// it. The caller sets the owner of a directory; for a block device a new node is made for the tool.
	Target string
	// Children are directories beside the target, bound below ChildrenDir under their names. The tool may write to them
	// too.
	Children map[string]string
	// Output is a directory for the tool's files, bound at OutputDir; empty for none.
	Output string
	// Root is an empty directory on which the tool's root is built, only in the tool's namespace.
	Root string
	// Image is the root of a container image's files. The tool sees them, read-only, in place of the runner's own, and
	// has TemporaryDir. It is empty for a tool that comes with the runner.
	Image string
	// Source is a directory bound read-only at SourceDir; empty for none.
	Source string
	// UID and GID are the user and group that the tool runs as.
	UID, GID int
	// NamedUser gives the tool's user a name, in an /etc/passwd without other users. It is for a tool that comes with
	// the runner and refuses to run as a user without a name.
	NamedUser bool
	// IOUring allows io_uring, which a container may not use, for a tool that measures with it.
	IOUring bool
	// Limits are what the tool needs in addition to the base.
	Limits Limits
	// Stdin is the tool's input.
	Stdin []byte
	// Stdout and Stderr receive what the tool prints, while it runs.
	Stdout, Stderr io.Writer
	// Ready, if set, is called once, when the sandbox is set up and before the tool starts: counters that are read
	// there exclude the cost of the sandbox.
	Ready func()
	// Interrupt, when closed, makes Run send SIGINT to the tool repeatedly until it ends. A tool that handles this signal
	// reports what it has done. Nil for a tool that ends by itself.
	Interrupt <-chan struct{}
}

// Result is how a tool ended.
type Result struct {
	// ExitCode is the tool's exit code, or -1 when a signal ended it.
	ExitCode int
	// Signal is the signal that ended the tool, or 0.
	Signal syscall.Signal
	// CPUTime is the user and system time of the tool and of all its children that it waited for, without the sandbox's
	// own.
	CPUTime time.Duration
}

// SetupError says that a sandbox could not be built, or a tool could not be started in it. The tool has not run.
type SetupError struct{ Message string }

func (e *SetupError) Error() string { return "sandbox: " + e.Message }

// ErrStuck says that a tool outlived SIGKILL: it waits in the kernel, for example on a suspended pool. It still exists
// when Run returns.
var ErrStuck = errors.New("the tool cannot be killed, it waits in the kernel: only a reboot of the node helps")

// Run runs a tool to its end. A tool that ends by itself is not an error, whatever its exit code. A *SetupError means
// that it did not start. The context's error means that it was killed because the context ended; if the tool survived
// SIGKILL, ErrStuck is joined to that. When this process dies, the kernel kills the tool. Run needs CAP_SYS_ADMIN and
// the capabilities to change user and to make device nodes.
func Run(ctx context.Context, cmd Command) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, fmt.Errorf("sandbox: %w", err)
	}
	p, err := newPipes()
	if err != nil {
		return Result{}, err
	}
	defer p.finish()
	child, err := start(p.theirs[:])
	if err != nil {
		return Result{}, &SetupError{Message: "start: " + err.Error()}
	}
	p.closeTheirs()
	p.copyAll(cmd)
	talk, executed := make(chan handshake, 1), make(chan struct{})
	go func() {
		talk <- p.converse(cmd)
		close(executed)
	}()
	state, err := child.await(ctx, executed, cmd.Interrupt)
	if err != nil {
		return Result{}, err
	}
	shaken := <-talk
	if shaken.err != nil {
		return Result{}, shaken.err
	}
	p.copies.Wait()
	return outcome(state, shaken.setupCPU), nil
}

// outcome translates the kernel's state of an ended tool.
func outcome(state *os.ProcessState, setupCPU time.Duration) Result {
	r := Result{ExitCode: state.ExitCode(), CPUTime: max(0, state.UserTime()+state.SystemTime()-setupCPU)}
	if wait, ok := state.Sys().(syscall.WaitStatus); ok && wait.Signaled() {
		r.Signal = wait.Signal()
	}
	return r
}
