// SPDX-License-Identifier: Apache-2.0

package hostfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/node/mountinfo"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/storage/filesystem"
)

// Make runs the command that makes a filesystem or an md array.
func (n Host) Make(ctx context.Context, argv []string) error {
	_, err := n.host.Run(ctx, hostexec.Cmd{Args: argv})
	return err
}

// Mount mounts a filesystem on a block device at a directory, visible to this process and its children, and makes the
// tools' user the owner of its root.
func (Host) Mount(device, dir string, how filesystem.Mount) error {
	flags := uintptr(unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC)
	switch how.AccessTime {
	case filesystem.AccessTimeNever:
		flags |= unix.MS_NOATIME
	case filesystem.AccessTimeAlways:
		flags |= unix.MS_STRICTATIME
	default:
		flags |= unix.MS_RELATIME
	}
	if err := unix.Mount(device, dir, how.Type, flags, how.Data); err != nil {
		return fmt.Errorf("mount %s at %s as %s with options %q: %w", device, dir, how.Type, how.Data, err)
	}
	return wrap("give "+device+" to the tools' user", os.Chown(dir, sandbox.User, sandbox.User))
}

// State is what is mounted at a directory.
type State struct {
	// Source is the block device, empty if nothing is mounted there.
	Source string
	// Options are all options in effect, joined by commas.
	Options string
	// SizeBytes is the size of the filesystem, UsedBytes the space in use, AvailableBytes the space that an
	// unprivileged process can still write.
	SizeBytes, UsedBytes, AvailableBytes int64
}

// Mounted returns what this process sees at a directory. If several mounts are on top of each other, that is the last
// one.
func (n Host) Mounted(dir string) (State, error) {
	mount, err := n.mountAt(dir)
	if err != nil || mount == nil {
		return State{}, err
	}
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return State{}, wrap("look at the filesystem of "+dir, err)
	}
	state := State{
		Source: mount.Source, Options: mount.Options,
		SizeBytes: int64(stat.Blocks) * stat.Bsize, UsedBytes: int64(stat.Blocks-stat.Bfree) * stat.Bsize,
		AvailableBytes: int64(stat.Bavail) * stat.Bsize,
	}
	if mount.SuperOptions != "" {
		state.Options += "," + mount.SuperOptions
	}
	return state, nil
}

// Source is the block device that is mounted at a directory, or empty. It does not touch the filesystem.
func (n Host) Source(dir string) (string, error) {
	mount, err := n.mountAt(dir)
	if err != nil || mount == nil {
		return "", err
	}
	return mount.Source, nil
}

// Idle fails with EBUSY while the kernel has a filesystem of a block device mounted in any mount namespace. The mounts
// of a process that has ended last a little longer than the process, with their cache. A missing device is idle.
func (Host) Idle(device string) error {
	file, err := os.OpenFile(device, os.O_RDONLY|unix.O_EXCL, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return wrap("wait until "+device+" is not mounted anywhere", err)
	}
	return file.Close()
}

// mountAt returns the mount at a directory, or nil.
func (n Host) mountAt(dir string) (*mountinfo.Mount, error) {
	file, err := os.Open(n.path("self", "mountinfo"))
	if err != nil {
		return nil, wrap("read the mounts", err)
	}
	mounts, err := mountinfo.Parse(file)
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, wrap("read the mounts", err)
	}
	var last *mountinfo.Mount
	for i := range mounts {
		if mounts[i].Point == dir {
			last = &mounts[i]
		}
	}
	return last, nil
}
