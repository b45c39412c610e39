// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"zfsbench.io/operator/internal/node/sandbox/seccomp"
)

// environment is the whole environment of a tool.
var environment = [...]string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/", "LC_ALL=C"}

// environ also contains the target, for a program of an image, which gets no argument for it.
func (c config) environ() []string {
	if c.Image == "" {
		return environment[:]
	}
	return append(environment[:], "ZFSBENCH_DATA="+TargetDir)
}

// ownProgram is this process's program; the path works even if the program's file is not visible.
const ownProgram = "/proc/self/exe"

// Init is called by the runner's hidden subcommand, in the process that Run started. It builds the sandbox, waits for
// the parent's signal to go on, and becomes the tool. It returns only on failure, after it has reported the reason to
// the parent.
func Init() error {
	// Capabilities and no_new_privs belong to a thread: the thread that drops them must be the one that executes the
	// tool.
	runtime.LockOSThread()
	parent, statuses := os.NewFile(configFD, "config"), os.NewFile(statusFD, "status")
	if parent == nil || statuses == nil {
		return errors.New("sandbox: not started by the runner")
	}
	err := enter(parent, statuses)
	_ = json.NewEncoder(statuses).Encode(status{Error: err.Error()})
	return err
}

// enter returns only on failure.
func enter(parent, statuses *os.File) error {
	if err := closeOnExec(); err != nil {
		return err
	}
	c, err := receive(parent)
	if err != nil {
		return err
	}
	if len(c.Argv) == 0 {
		return errors.New("empty argument vector")
	}
	if err := buildRoot(c); err != nil {
		return err
	}
	program := ownProgram
	if !c.Self {
		if program, err = Look(c.Argv[0]); err != nil {
			return err
		}
	}
	if err := confine(c); err != nil {
		return err
	}
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		return fmt.Errorf("getrusage: %w", err)
	}
	standing := status{CPUNanoseconds: used.Utime.Nano() + used.Stime.Nano()}
	if err := json.NewEncoder(statuses).Encode(standing); err != nil {
		return fmt.Errorf("report to the parent: %w", err)
	}
	if err := awaitRelease(parent); err != nil {
		return err
	}
	if err := unix.Exec(program, c.Argv, c.environ()); err != nil {
		return fmt.Errorf("execute %s: %w", program, err)
	}
	return nil
}

// confine removes all of this thread's privileges that the tool must not have. The filter comes last, because the
// kernel requires no_new_privs before it.
func confine(c config) error {
	if err := offerToOOMKiller(); err != nil {
		return err
	}
	if err := restrictPaths(); err != nil {
		return err
	}
	if err := dropPrivileges(c.UID, c.GID); err != nil {
		return err
	}
	if err := c.Limits.impose(); err != nil {
		return err
	}
	return seccomp.Install(c.IOUring)
}
