// Package command runs the host's programs for the development cluster: argv only, never a shell, with
// LC_ALL=C, and with the exit code and the end of stderr in the error.
package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// stderrTail bounds how much of a program's stderr an error repeats.
const stderrTail = 4 << 10

// killGrace is how long an interrupted program has to clean up after itself (mmdebstrap unmounts and
// removes its temporary files) before it is killed.
const killGrace = 10 * time.Second

// Spec says what to run and how.
type Spec struct {
	Args  []string
	Dir   string
	Env   []string // added to the environment of this process
	Stdin io.Reader
	// Output, when set, receives stdout instead of the returned string.
	Output io.Writer
	// Log, when set, receives a copy of stdout and stderr.
	Log io.Writer
	// PrivateMounts runs the program in a mount namespace of its own, so that whatever it mounts is gone
	// when it ends, however it ends.
	PrivateMounts bool
	// Chroot runs the program inside that directory.
	Chroot string
}

// Error is a program that could not be started or that ended with a non-zero exit code.
type Error struct {
	Args     []string
	ExitCode int // -1 when the program did not start or was killed by a signal
	Stderr   string
	Err      error
}

func (e *Error) Error() string {
	msg := fmt.Sprintf("%s: %v", strings.Join(e.Args, " "), e.Err)
	if s := strings.TrimSpace(e.Stderr); s != "" {
		msg += ": " + s
	}
	return msg
}

func (e *Error) Unwrap() error { return e.Err }

// Run runs the program to its end and returns its stdout. When ctx ends first the program's whole process
// group is asked to stop and, after a grace period, killed.
func Run(ctx context.Context, spec Spec) (string, error) {
	if len(spec.Args) == 0 {
		return "", errors.New("run: no program given")
	}
	cmd := exec.CommandContext(ctx, LookPath(spec.Args[0]), spec.Args[1:]...)
	cmd.Dir = spec.Dir
	cmd.Env = append(append(os.Environ(), "LC_ALL=C", "PATH="+searchPath()), spec.Env...)
	cmd.Stdin = spec.Stdin
	// Should this process be killed, the program is asked to end. The kernel does that when the thread that
	// started it ends, so the thread must do nothing else meanwhile.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Chroot: spec.Chroot, Pdeathsig: syscall.SIGTERM}
	if spec.PrivateMounts {
		cmd.SysProcAttr.Unshareflags = syscall.CLONE_NEWNS
	}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = killGrace

	var stdout bytes.Buffer
	stderr := &tailWriter{limit: stderrTail}
	cmd.Stdout, cmd.Stderr = writers(&stdout, stderr, spec)
	err := cmd.Run()
	if ctx.Err() != nil && cmd.Process != nil {
		// Children of the program that ignored SIGTERM must not outlive it.
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		err = ctx.Err()
	}
	if err != nil {
		return stdout.String(), &Error{Args: spec.Args, ExitCode: exitCode(err), Stderr: stderr.String(), Err: err}
	}
	return stdout.String(), nil
}

// writers wires stdout and stderr as the specification asks.
func writers(stdout *bytes.Buffer, stderr io.Writer, spec Spec) (out, errOut io.Writer) {
	out, errOut = stdout, stderr
	if spec.Output != nil {
		out = spec.Output
	}
	if spec.Log != nil {
		log := &lockedWriter{w: spec.Log}
		if spec.Output == nil {
			out = io.MultiWriter(out, log)
		}
		errOut = io.MultiWriter(errOut, log)
	}
	return out, errOut
}

func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return -1
}
