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

// spliceBytes is the maximum to move at once: many times the default size of a pipe.
const spliceBytes = 1 << 20

// Pipe runs two commands to their ends; the second reads what the first writes. It returns the number of bytes, which
// are moved and counted in the kernel, without copies in this process. The error is the second command's, if it failed,
// joined with the first command's, which often fails as a consequence.
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
	// Each end is closed as soon as this process no longer uses it. That is how a reader sees the end of the data, and
	// a writer that nobody reads any more.
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
		return 0, errors.Join(errTo, errFrom, errors.New("the pipe between the two commands does not close"))
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

// splice moves everything from one pipe to another. It returns no error if the reader has ended: the reader's own error
// says why.
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
