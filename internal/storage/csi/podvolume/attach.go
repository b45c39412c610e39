// SPDX-License-Identifier: Apache-2.0

package podvolume

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sys/unix"
)

const (
	// closed are the mount flags of a volume that tools write to.
	closed = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	// readOnly are the mount attributes of an image's files.
	readOnly = unix.MS_RDONLY | unix.MS_NOSUID | unix.MS_NODEV
)

// attach copies a mount from the mount namespace of a process into this process's namespace, with these flags. The
// thread that enters the other namespace is not reused: it ends with its goroutine.
func attach(from process, inside, dir string, flags uintptr) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked, so the thread ends
		done <- attachHere(from, inside, dir, flags)
	}()
	if err := <-done; err != nil {
		return fmt.Errorf("attach %s of process %s at %s: %w", inside, filepath.Base(from.Name()), dir, err)
	}
	return nil
}

func attachHere(from process, inside, dir string, flags uintptr) error {
	own, err := os.Open("/proc/thread-self/ns/mnt")
	if err != nil {
		return err
	}
	defer func() { _ = own.Close() }() // only read from
	theirs, err := os.Open(from.path("ns/mnt"))
	if err != nil {
		return err
	}
	defer func() { _ = theirs.Close() }() // only read from
	// Threads share the working directory and the root, but setns to a mount namespace needs a thread with its own.
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return fmt.Errorf("unshare: %w", err)
	}
	if err := unix.Setns(int(theirs.Fd()), unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("enter its mount namespace: %w", err)
	}
	tree, errOpen := unix.OpenTree(unix.AT_FDCWD, inside, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err := unix.Setns(int(own.Fd()), unix.CLONE_NEWNS); err != nil {
		return errors.Join(errOpen, fmt.Errorf("return from its mount namespace: %w", err))
	}
	if errOpen != nil {
		return fmt.Errorf("copy the mount: %w", errOpen)
	}
	defer func() { _ = unix.Close(tree) }() // the mount stays
	if err := unix.MoveMount(tree, "", unix.AT_FDCWD, dir, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fmt.Errorf("mount the copy: %w", err)
	}
	// Without a flag about access times, the mount keeps its current ones.
	if err := unix.Mount("", dir, "", unix.MS_BIND|unix.MS_REMOUNT|flags, ""); err != nil {
		return errors.Join(fmt.Errorf("restrict the mount: %w", err), unix.Unmount(dir, unix.MNT_DETACH))
	}
	return nil
}
