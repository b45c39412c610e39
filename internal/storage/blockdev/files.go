// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// marginDivisor leaves an eighth of the filesystem free: the kubelet evicts pods when less than a tenth is free.
const marginDivisor = 8

// Files makes and removes file devices in the benchmark's own scratch directory.
type Files struct {
	directory string
	statfs    func(path string) (unix.Statfs_t, error)
}

// NewFiles returns the files of a directory, which must exist.
func NewFiles(directory string) Files {
	return Files{directory: directory, statfs: func(path string) (unix.Statfs_t, error) {
		var stat unix.Statfs_t
		err := unix.Statfs(path, &stat)
		return stat, err
	}}
}

// FileError says that a file device cannot be made, or must not be removed.
type FileError struct {
	File  string
	Cause error
}

func (e *FileError) Error() string { return fmt.Sprintf("file device %s: %v", e.File, e.Cause) }

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Cause }

// Path returns the path of the file device with the given name.
func (f Files) Path(name string) string { return filepath.Join(f.directory, name) }

// Create makes a file with all blocks allocated, so that a pool on it cannot run out of space, and returns its path. It
// never uses an existing file. The error is a *FileError; then nothing is left.
func (f Files) Create(name string, sizeBytes int64) (path string, err error) {
	path = f.Path(name)
	defer func() {
		if err != nil {
			err = &FileError{File: path, Cause: err}
		}
	}()
	root, err := os.OpenRoot(f.directory)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if err := f.CheckSpace(sizeBytes); err != nil {
		return "", err
	}
	if err := allocate(root, name, sizeBytes); err != nil {
		return "", err
	}
	return path, syncDirectory(root)
}

// allocate creates the whole file, or nothing.
func allocate(root *os.Root, name string, sizeBytes int64) (err error) {
	file, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, file.Close())
		if err != nil {
			err = errors.Join(err, root.Remove(name))
		}
	}()
	if err := unix.Fallocate(int(file.Fd()), 0, 0, sizeBytes); err != nil {
		return fmt.Errorf("allocate %d bytes: %w", sizeBytes, err)
	}
	return file.Sync()
}

// syncDirectory makes a new or removed name durable.
func syncDirectory(root *os.Root) (err error) {
	directory, err := root.Open(".")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, directory.Close()) }()
	return directory.Sync()
}

// CheckSpace requires a filesystem that really reserves allocated blocks, and enough free space.
func (f Files) CheckSpace(sizeBytes int64) error {
	stat, err := f.statfs(f.directory)
	if err != nil {
		return fmt.Errorf("filesystem of %s: %w", f.directory, err)
	}
	// Allocated blocks are not enough everywhere: zfs and btrfs copy on write and need new blocks to overwrite them,
	// tmpfs has no blocks on disk, and overlay hides the filesystem below. A pool whose file gets no block hangs for
	// good.
	if stat.Type != unix.EXT4_SUPER_MAGIC && stat.Type != unix.XFS_SUPER_MAGIC {
		return fmt.Errorf("the scratch directory must be on ext4 or xfs; %s is on a filesystem of type %#x",
			f.directory, stat.Type)
	}
	block := stat.Bsize
	free, total := int64(stat.Bavail)*block, int64(stat.Blocks)*block
	if free-sizeBytes < total/marginDivisor {
		return fmt.Errorf("%d bytes would leave %d of %d bytes free, less than an eighth",
			sizeBytes, max(free-sizeBytes, 0), total)
	}
	return nil
}

// Remove removes a file device by its recorded path, which must be a regular file directly in the directory. It
// succeeds if the file does not exist. The error is a *FileError.
func (f Files) Remove(path string) (err error) {
	defer func() {
		if err != nil {
			err = &FileError{File: path, Cause: err}
		}
	}()
	name := filepath.Base(path)
	if f.Path(name) != path || name == "." || name == string(filepath.Separator) {
		return fmt.Errorf("it is not in %s", f.directory)
	}
	root, err := os.OpenRoot(f.directory)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("it is not a regular file but %s", info.Mode().Type())
	}
	if err := root.Remove(name); err != nil {
		return err
	}
	return syncDirectory(root)
}
