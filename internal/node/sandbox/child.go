// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
)

// interruptInterval is how often a tool is sent SIGINT.
const interruptInterval = time.Second

// child is the sandbox's first process. The kernel kills everything in its process namespace when it dies, and it dies
// with this process.
type child struct {
	process *os.Process
	ended   chan exit
}

type exit struct {
	state *os.ProcessState
	err   error
}

// start starts this program again as the first process of new namespaces, with these descriptors. The goroutine that
// starts it keeps its thread until the child has ended: the kernel sends the parent-death signal when that thread ends,
// not when the process does.
func start(files []*os.File) (*child, error) {
	c := &child{ended: make(chan exit, 1)}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		var err error
		c.process, err = os.StartProcess("/proc/self/exe", []string{"runner", Subcommand}, &os.ProcAttr{
			Dir:   "/",
			Env:   []string{},
			Files: files,
			Sys: &syscall.SysProcAttr{
				Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC |
					syscall.CLONE_NEWUTS,
				Setsid:    true,
				Pdeathsig: syscall.SIGKILL,
			},
		})
		started <- err
		if err != nil {
			return
		}
		state, err := c.process.Wait()
		c.ended <- exit{state, err}
	}()
	return c, <-started
}

// await waits for the end of the tool, or kills it when the context ends. interrupt has an effect only once the tool
// has been executed.
func (c *child) await(ctx context.Context, executed, interrupt <-chan struct{}) (*os.ProcessState, error) {
	var hear <-chan struct{}
	var again <-chan time.Time
	for running := true; running; {
		select {
		case e := <-c.ended:
			return e.checked()
		case <-executed:
			executed, hear = nil, interrupt
		case <-hear:
			// The first process of a namespace gets a signal only once it has a handler for it, so one signal is not
			// enough. It may have ended meanwhile; that is not an error.
			hear = nil
			again = time.Tick(interruptInterval)
			_ = c.process.Signal(syscall.SIGINT)
		case <-again:
			_ = c.process.Signal(syscall.SIGINT)
		case <-ctx.Done():
			running = false
		}
	}
	if err := c.process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return nil, errors.Join(fmt.Errorf("sandbox: kill the tool: %w", err), ctx.Err())
	}
	patience := time.NewTimer(killPatience)
	defer patience.Stop()
	select {
	case e := <-c.ended:
		if _, err := e.checked(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("sandbox: the tool was killed: %w", ctx.Err())
	case <-patience.C:
		return nil, fmt.Errorf("sandbox: %w (%w)", ErrStuck, ctx.Err())
	}
}

func (e exit) checked() (*os.ProcessState, error) {
	if e.err != nil {
		return nil, fmt.Errorf("sandbox: wait for the tool: %w", e.err)
	}
	return e.state, nil
}
