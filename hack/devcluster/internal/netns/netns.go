// Package netns makes the network namespace the cluster lives in, so that nothing of the machine's own
// network is touched, and lets this process act inside it.
package netns

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// Namespace is a network namespace, named by the file on which it is mounted and which keeps it alive. A file of
// our own and not ip-netns(8)'s directory, because that stays a mount point for ever, and because two clusters in
// different directories are then no concern of each other.
type Namespace string

// Exists reports whether the namespace is there.
func (n Namespace) Exists() (bool, error) {
	// An interrupted creation leaves a plain file.
	var st unix.Statfs_t
	err := unix.Statfs(string(n), &st)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for network namespace %s: %w", n, err)
	}
	return st.Type == unix.NSFS_MAGIC, nil
}

// create makes the namespace and mounts it on its file.
func (n Namespace) create() error {
	if err := os.WriteFile(string(n), nil, 0o600); err != nil {
		return fmt.Errorf("make network namespace: %w", err)
	}
	return OnThread(func() error {
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("make network namespace: %w", err)
		}
		if err := unix.Mount("/proc/thread-self/ns/net", string(n), "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("keep network namespace: %w", err)
		}
		return nil
	})
}

// Delete removes the namespace; its links go when the last process in it has ended. A namespace that is not there
// is no error.
func (n Namespace) Delete() error {
	exists, err := n.Exists()
	if err != nil {
		return err
	}
	if exists {
		if err := unix.Unmount(string(n), unix.MNT_DETACH); err != nil {
			return fmt.Errorf("delete network namespace %s: %w", n, err)
		}
	}
	if err := os.Remove(string(n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete network namespace: %w", err)
	}
	return nil
}

// Do runs fn on an operating system thread inside the namespace. The thread ends with fn: it is never given
// back to the runtime, so nothing else can run inside the namespace by accident. fn must not start goroutines
// that are to run inside too.
func (n Namespace) Do(fn func() error) error {
	return OnThread(func() error {
		if err := n.Enter(); err != nil {
			return err
		}
		return fn()
	})
}

// OnThread runs fn on an operating system thread of its own, which ends with it, and so may change the
// thread's namespaces.
func OnThread(fn func() error) error {
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread is thrown away
		result <- fn()
	}()
	return <-result
}

// Enter moves the calling thread, which must be locked, into the namespace.
func (n Namespace) Enter() error {
	f, err := os.Open(string(n))
	if err != nil {
		return fmt.Errorf("enter network namespace: %w", err)
	}
	defer f.Close()
	if err := unix.Setns(int(f.Fd()), unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("enter network namespace %s: %w", n, err)
	}
	return nil
}

// DialContext connects to a TCP address inside the namespace. The address must be numeric: a name would be
// looked up outside.
func (n Namespace) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	target, err := net.ResolveTCPAddr(network, address)
	if err != nil {
		return nil, fmt.Errorf("dial in %s: %w", n, err)
	}
	var conn net.Conn
	err = n.Do(func() error {
		// The fallback delay is off because a second address family would be tried in another goroutine,
		// and so outside the namespace.
		dialer := net.Dialer{Timeout: 30 * time.Second, FallbackDelay: -1}
		c, err := dialer.DialContext(ctx, network, target.String())
		conn = c
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("dial in %s: %w", n, err)
	}
	return conn, nil
}
