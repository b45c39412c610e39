// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// lockPoll is how often a lock that is taken is tried again.
const lockPoll = time.Second

// lockNode takes the lock of a scratch directory, waiting while another runner holds it: the predecessor of a restarted runner may still be tearing down. The
// kernel releases the lock when the process dies; the file stays.
func lockNode(ctx context.Context, path string, log *slog.Logger) (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("lock the node: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the node: %w", err)
	}
	if err := flock(ctx, f, log); err != nil {
		return nil, errors.Join(fmt.Errorf("lock the node with %s: %w", path, err), f.Close())
	}
	return func() { _ = f.Close() }, nil
}

func flock(ctx context.Context, f *os.File, log *slog.Logger) error {
	poll := time.NewTicker(lockPoll)
	defer poll.Stop()
	for waiting := false; ; waiting = true {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return err
		}
		if !waiting {
			log.Info("another runner works on this node, waiting for it to end", "lock", f.Name())
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return fmt.Errorf("another runner holds it: %w", context.Cause(ctx))
		}
	}
}
