// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// ErrBadUID says that a benchmark's UID cannot be the name of a directory.
var ErrBadUID = errors.New("the benchmark's UID is not made of letters, digits and hyphens")

// Workspace is where a benchmark keeps what it needs on the node, below the scratch directory.
type Workspace struct {
	// Scratch is the scratch directory, UID the benchmark's.
	Scratch, UID string
}

// New is the workspace of the benchmark with a UID; it makes nothing.
func New(scratch, uid string) (Workspace, error) {
	if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,63}$`).MatchString(uid) {
		return Workspace{}, fmt.Errorf("workspace for %q: %w", uid, ErrBadUID)
	}
	if !filepath.IsAbs(scratch) || filepath.Clean(scratch) != scratch || scratch == "/" {
		return Workspace{}, fmt.Errorf("workspace: scratch directory %q is not an absolute, clean path below /", scratch)
	}
	return Workspace{Scratch: scratch, UID: uid}, nil
}

// Lock is the file that runners lock, so that only one works in the scratch directory.
func (w Workspace) Lock() string { return filepath.Join(w.Scratch, "lock") }

// Root holds everything of the benchmark.
func (w Workspace) Root() string { return filepath.Join(w.Scratch, w.UID) }

// Journal is the directory of the journal.
func (w Workspace) Journal() string { return filepath.Join(w.Root(), "journal") }

// Files holds the file devices.
func (w Workspace) Files() string { return filepath.Join(w.Root(), "files") }

// Target is where the dataset is mounted.
func (w Workspace) Target() string { return filepath.Join(w.Root(), "target") }

// children holds where the children of the dataset are mounted, each under its name.
func (w Workspace) children() string { return filepath.Join(w.Root(), "children") }

// Child is where a child of the dataset is mounted.
func (w Workspace) Child(name string) string { return filepath.Join(w.children(), name) }

// MountPoints are where the dataset and its children may be mounted.
func (w Workspace) MountPoints() ([]string, error) {
	entries, err := os.ReadDir(w.children())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("look for mounts: %w", err)
	}
	var dirs []string
	for _, entry := range entries {
		dirs = append(dirs, w.Child(entry.Name()))
	}
	return append(dirs, w.Target()), nil
}

// Output is where tools leave their reports.
func (w Workspace) Output() string { return filepath.Join(w.Root(), "output") }

// Sandbox is the empty directory that sandboxes build their root on.
func (w Workspace) Sandbox() string { return filepath.Join(w.Root(), "sandbox") }

// StandIns is where the preflight puts sparse files in the place of file devices.
func (w Workspace) StandIns() string { return filepath.Join(w.Root(), "preflight") }

// File is the path of a file device.
func (w Workspace) File(device string) string { return filepath.Join(w.Files(), device) }

// Make makes the directories; those that exist stay.
func (w Workspace) Make() error {
	for _, dir := range []string{w.Journal(), w.Files(), w.Target(), w.Output(), w.Sandbox()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make workspace: %w", err)
		}
	}
	return nil
}

// Remove removes all of the benchmark's directories. Nothing must be mounted there, and no file device may be owned.
func (w Workspace) Remove() error {
	// os.Remove fails for directories that are not empty: mounted data and owned file devices must not be removed here.
	dirs, err := w.MountPoints()
	if err != nil {
		return fmt.Errorf("remove workspace: %w", err)
	}
	for _, dir := range append(dirs, w.children(), w.Files(), w.Sandbox()) {
		if err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove workspace: %w", err)
		}
	}
	if err := os.RemoveAll(w.Root()); err != nil {
		return fmt.Errorf("remove workspace: %w", err)
	}
	return nil
}

// Others are the workspaces of other benchmarks in the same scratch directory.
func (w Workspace) Others() ([]Workspace, error) {
	entries, err := os.ReadDir(w.Scratch)
	if err != nil {
		return nil, err
	}
	var others []Workspace
	for _, entry := range entries {
		if other, err := New(w.Scratch, entry.Name()); err == nil && entry.IsDir() && other.UID != w.UID {
			others = append(others, other)
		}
	}
	return others, nil
}
