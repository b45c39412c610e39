// SPDX-License-Identifier: Apache-2.0

package hostexec

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// spliceBytes is how much is moved at once at most: what a pipe holds by default, many times.
const spliceBytes = 1 << 20

// Pipe runs two commands to their ends, the second reading what the first writes, and returns the number of bytes. They
// are moved and counted in the kernel, without passing through this process. The error is the second command's, if it
// failed, joined with the first command's, which often fails as a consequence.
func Pipe(ctx context.Context, runner Runner, from, to Cmd) (bytes int64, err error) {
	out, in, err := newPipe()
	if err != nil {
		return 0, err
	}
	forward, last, err := newPipe()
	if err != nil {
		return 0, errors.Join(err, out.Close(), in.Close())
	}
	from.Stdout, to.Stdin = in, forward
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var running sync.WaitGroup
	var errFrom, errTo error
	moved := make(chan spliced, 1)
	// Each end is closed as soon as nobody of ours uses it: that is how the others learn that there is no more to come, or
	// that nobody listens any more.
	running.Go(func() {
		_, errFrom = runner.Run(ctx, from)
		_ = in.Close()
	})
	running.Go(func() {
		_, errTo = runner.Run(ctx, to)
		_ = forward.Close()
	})
	go func() {
		n, err := splice(out, last)
		_, _ = out.Close(), last.Close()
		moved <- spliced{n, err}
	}()
	running.Wait()
	patience := time.NewTimer(reapMargin)
	defer patience.Stop()
	select {
	case m := <-moved:
		return m.bytes, errors.Join(errTo, errFrom, m.err)
	case <-patience.C:
		// A command that cannot be killed still holds its end.
		return 0, errors.Join(errTo, errFrom, errors.New("what is between the two commands does not end"))
	}
}

// spliced is what was moved between two commands.
type spliced struct {
	bytes int64
	err   error
}

// newPipe makes a pipe that no other command inherits.
func newPipe() (read, write *os.File, err error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, fmt.Errorf("make a pipe: %w", err)
	}
	return os.NewFile(uintptr(fds[0]), "pipe"), os.NewFile(uintptr(fds[1]), "pipe"), nil
}

// splice moves everything from a pipe to another one. That nobody reads any more is no error of its own: the reader has
// one.
func splice(from, to *os.File) (int64, error) {
	var moved int64
	for {
		n, err := unix.Splice(int(from.Fd()), nil, int(to.Fd()), nil, spliceBytes, unix.SPLICE_F_MOVE)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EPIPE), err == nil && n == 0:
			return moved, nil
		case err != nil:
			return moved, fmt.Errorf("move bytes from one command to the other: %w", err)
		}
		moved += max(0, n)
	}
}
