// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

const (
	// closed are the mount flags of everything a tool may write to.
	closed = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	// readOnly are the mount flags of programs and libraries.
	readOnly = unix.MS_RDONLY | unix.MS_NOSUID | unix.MS_NODEV
)

const (
	// temporaryFiles is how many files TemporaryDir can hold. An empty file does not count towards its size, but takes
	// about a KiB of kernel memory.
	temporaryFiles = 16 << 10
	// maxImageEntries is how many entries an image's root may have: each becomes a mount.
	maxImageEntries = 256
)

// systemPaths are the parts of the runner's own filesystem that a tool needs: programs, libraries and the loader's
// cache. Missing ones are skipped.
func systemPaths() []string {
	return []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/ld.so.cache"}
}

// buildRoot makes the tool's root on a tmpfs over c.Root, in this process's own mount namespace, and moves there. The
// old root is then gone.
func buildRoot(c config) error {
	// The mounts are not private: an unmount on the host must still reach the copy here, or a tool would keep the
	// host's filesystems busy.
	if err := mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return err
	}
	if err := mount("tmpfs", c.Root, "tmpfs", closed, "mode=0755,size=1m"); err != nil {
		return err
	}
	if err := bindPrograms(c); err != nil {
		return err
	}
	if c.Named {
		if err := nameUser(c); err != nil {
			return err
		}
	}
	if err := mountProc(filepath.Join(c.Root, "proc")); err != nil {
		return err
	}
	if err := bindTarget(c); err != nil {
		return err
	}
	if c.Source != "" {
		if err := bindReadOnly(c.Source, filepath.Join(c.Root, SourceDir)); err != nil {
			return err
		}
	}
	if err := bindChildren(c); err != nil {
		return err
	}
	if c.Output != "" {
		if err := bindWritable(c.Output, filepath.Join(c.Root, OutputDir)); err != nil {
			return err
		}
	}
	return pivot(c.Root)
}

// bindPrograms makes the runner's own programs and libraries visible, or everything in an image's root except for paths
// of the sandbox itself.
func bindPrograms(c config) error {
	if c.Image == "" {
		for _, path := range systemPaths() {
			if err := bindPath(path, c.Root, path); err != nil {
				return err
			}
		}
		return nil
	}
	entries, err := os.ReadDir(c.Image)
	if err != nil {
		return fmt.Errorf("list the image's files: %w", err)
	}
	if len(entries) > maxImageEntries {
		return fmt.Errorf("the image has %d files and directories in its root, and may have %d: put them into a directory",
			len(entries), maxImageEntries)
	}
	for _, entry := range entries {
		path := "/" + entry.Name()
		if kind := entry.Type(); slices.Contains(ownPaths, path) ||
			kind != 0 && kind != fs.ModeDir && kind != fs.ModeSymlink {
			continue // no program needs sockets, pipes or devices there
		}
		if err := bindPath(filepath.Join(c.Image, path), c.Root, path); err != nil {
			return err
		}
	}
	temporary := filepath.Join(c.Root, TemporaryDir)
	if err := os.Mkdir(temporary, 0o755); err != nil {
		return err
	}
	return mount("tmpfs", temporary, "tmpfs", closed,
		fmt.Sprintf("mode=1777,size=%d,nr_inodes=%d", TemporaryBytes, temporaryFiles))
}

// nameUser writes an /etc/passwd that contains only the tool's user. An image has its own.
func nameUser(c config) error {
	if c.Image != "" {
		return errors.New("a program of an image gets its user name from the image")
	}
	dir := filepath.Join(c.Root, "etc")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entry := fmt.Sprintf("%s:x:%d:%d::/:/usr/sbin/nologin\n", UserName, c.UID, c.GID)
	return os.WriteFile(filepath.Join(dir, "passwd"), []byte(entry), 0o644)
}

// ownPaths are the sandbox's own paths, which replace an image's. /sys shows devices, so no sandbox has it.
var ownPaths = []string{"/proc", "/sys", "/dev", TargetDir, ChildrenDir, SourceDir, OutputDir, TemporaryDir}

// bindTarget makes the target visible: a directory as a mount, a block device as a node in /dev.
func bindTarget(c config) error {
	info, err := os.Stat(c.Target)
	if err != nil {
		return fmt.Errorf("look at the target: %w", err)
	}
	var device *unix.Stat_t
	switch mode := info.Mode(); {
	case mode.IsDir():
		err = bindWritable(c.Target, filepath.Join(c.Root, TargetDir))
	case mode&fs.ModeDevice != 0 && mode&fs.ModeCharDevice == 0:
		device = &unix.Stat_t{}
		err = unix.Stat(c.Target, device)
	default:
		err = fmt.Errorf("the target %s is neither a directory nor a block device", c.Target)
	}
	if err != nil {
		return err
	}
	return makeDevices(filepath.Join(c.Root, "dev"), device, c.UID, c.GID)
}

// bindChildren makes the directories beside the target visible.
func bindChildren(c config) error {
	if len(c.Children) == 0 {
		return nil
	}
	dir := filepath.Join(c.Root, ChildrenDir)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for name, from := range c.Children {
		if name != filepath.Base(name) || name == "." || name == ".." {
			return fmt.Errorf("%q is not the name of a directory beside the target", name)
		}
		if err := bindWritable(from, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// bindPath makes a path visible in the new root, read-only; a symbolic link stays a link.
func bindPath(from, root, path string) error {
	info, err := os.Lstat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	inside := filepath.Join(root, path)
	if err := os.MkdirAll(filepath.Dir(inside), 0o755); err != nil {
		return err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(to, inside)
	case info.IsDir():
		if err := os.Mkdir(inside, 0o755); err != nil {
			return err
		}
	default:
		if err := os.WriteFile(inside, nil, 0o644); err != nil {
			return err
		}
	}
	return bind(from, inside, readOnly)
}

// bindWritable binds a directory that the tool may write to.
func bindWritable(from, to string) error {
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	return bind(from, to, closed)
}

// bindReadOnly binds a directory that the tool may only read.
func bindReadOnly(from, to string) error {
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	return bind(from, to, readOnly|unix.MS_NOEXEC)
}

// bind binds in two steps, because the kernel ignores all other flags in the first.
func bind(from, to string, flags uintptr) error {
	if err := mount(from, to, "", unix.MS_BIND, ""); err != nil {
		return err
	}
	return mount("", to, "", unix.MS_BIND|unix.MS_REMOUNT|flags, "")
}

// mountProc mounts a proc that shows only the sandbox's own processes, and nothing else of the node if the kernel can
// hide it (5.8 and later).
func mountProc(path string) error {
	if err := os.Mkdir(path, 0o555); err != nil {
		return err
	}
	err := mount("proc", path, "proc", closed, "subset=pid")
	if errors.Is(err, unix.EINVAL) {
		err = mount("proc", path, "proc", closed, "")
	}
	return err
}

// pivot makes root the root of this process and unmounts the old one.
func pivot(root string) error {
	if err := os.Chdir(root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("pivot_root to %s: %w", root, err)
	}
	// The old root is now mounted over the new one.
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("unmount the old root: %w", err)
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	return mount("", "/", "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY|closed, "")
}

// mount is mount(2) with an error that names the operation.
func mount(from, to, kind string, flags uintptr, options string) error {
	if err := unix.Mount(from, to, kind, flags, options); err != nil {
		return fmt.Errorf("mount %s%s at %s: %w", kind, from, to, err)
	}
	return nil
}
