package artefact

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// lockPoll is how often a lock held by another process is tried again.
const lockPoll = 200 * time.Millisecond

func (s Store) lock(ctx context.Context, name string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Join(s.Dir, "locks"), 0o755); err != nil {
		return nil, err
	}
	return Lock(ctx, filepath.Join(s.Dir, "locks", name), nil)
}

// Lock takes an exclusive flock on the file, which is created when missing and never removed. It waits until
// ctx ends; waiting is called once if another process holds the lock. The lock ends with the process.
func Lock(ctx context.Context, path string, waiting func()) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|unix.O_CLOEXEC, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) {
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if waiting != nil {
			waiting()
			waiting = nil
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, fmt.Errorf("lock %s: held by another process: %w", path, ctx.Err())
		case <-time.After(lockPoll):
		}
	}
}
