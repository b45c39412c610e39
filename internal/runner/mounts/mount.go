// SPDX-License-Identifier: Apache-2.0

package mounts

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"zfsbench.io/operator/internal/node/sandbox"
)

// Options are the properties of a dataset that must also be mount options, because the kernel's defaults would override
// them.
type Options struct {
	// Atime updates access times on reads; RelAtime limits that to access times that are older than the modification.
	Atime, RelAtime bool
}

// OptionsOf reads them from a dataset's properties.
func OptionsOf(properties map[string]string) Options {
	return Options{Atime: properties["atime"] == "on", RelAtime: properties["relatime"] == "on"}
}

func (o Options) flags() uintptr {
	flags := uintptr(unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC)
	switch {
	case !o.Atime:
		return flags | unix.MS_NOATIME
	case o.RelAtime:
		return flags | unix.MS_RELATIME
	default:
		return flags | unix.MS_STRICTATIME
	}
}

// Kernel mounts with the kernel's system calls. Only this process and its children see the mounts, see MakePrivate.
type Kernel struct{}

// Mount mounts a dataset whose mountpoint is legacy.
func (Kernel) Mount(dataset, dir string, options Options) error {
	if err := unix.Mount(dataset, dir, "zfs", options.flags(), ""); err != nil {
		return fmt.Errorf("mount %s at %s: %w", dataset, dir, err)
	}
	if err := os.Chown(dir, sandbox.User, sandbox.User); err != nil {
		return fmt.Errorf("give %s to the tools' user: %w", dataset, err)
	}
	return nil
}

// Unmount unmounts a directory. It is no error if nothing is mounted there, or if the directory does not exist.
func (Kernel) Unmount(dir string) error {
	err := unix.Unmount(dir, unix.UMOUNT_NOFOLLOW)
	if err == nil || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOENT) {
		return nil
	}
	return fmt.Errorf("unmount %s: %w", dir, err)
}
