// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// NodeLock is the file whose lock a runner holds as long as it works. It is in the host's /run: the same file for all
// runners of a node, whatever their scratch directories, and gone after a reboot, like the runners. A runner's pod does
// not mount the host's /run, but sees the host's processes, and reaches it through the root of process 1. Only root can
// open the file, so nobody else can block runners. A socket in the network namespace would not work, because each pod
// has its own.
const NodeLock = "/proc/1/root/run/zfsbench.lock"

// lockPoll is how often a lock that is taken is tried again.
const lockPoll = time.Second

// maxHolder limits how many bytes are read of a lock holder's name.
const maxHolder = 512

// Lock locks a file and writes who holds it into the file. While another runner holds the lock, it calls waiting
// regularly with that runner's text. The kernel releases the lock when the process dies; the file stays.
func Lock(ctx context.Context, path, who string, waiting func(holder string)) (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("lock the node: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the node: %w", err)
	}
	if err := flock(ctx, f, waiting); err != nil {
		return nil, errors.Join(fmt.Errorf("lock the node with %s: %w", path, err), f.Close())
	}
	if f.Truncate(0) == nil {
		_, _ = f.WriteAt([]byte(who), 0) // it is only for messages
	}
	return func() { _ = f.Close() }, nil
}

func flock(ctx context.Context, f *os.File, waiting func(holder string)) error {
	poll := time.NewTicker(lockPoll)
	defer poll.Stop()
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return err
		}
		waiting(holderOf(f))
		select {
		case <-poll.C:
		case <-ctx.Done():
			return fmt.Errorf("another runner holds it: %w", context.Cause(ctx))
		}
	}
}

// holderOf is what the holder of a lock has written. Runners of older versions write nothing: then it is empty.
func holderOf(f *os.File) string {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, maxHolder))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(text), "?"))
}
