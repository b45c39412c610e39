// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// ErrBadUID is a benchmark UID that cannot name a directory.
var ErrBadUID = errors.New("the benchmark's UID is not made of letters, digits and hyphens")

// workspace is where a benchmark keeps what it needs on the node, below the scratch directory.
type workspace struct {
	scratch, uid string
}

func newWorkspace(scratch, uid string) (workspace, error) {
	if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,63}$`).MatchString(uid) {
		return workspace{}, fmt.Errorf("workspace for %q: %w", uid, ErrBadUID)
	}
	if !filepath.IsAbs(scratch) || filepath.Clean(scratch) != scratch || scratch == "/" {
		return workspace{}, fmt.Errorf("workspace: scratch directory %q is not an absolute, clean path below /", scratch)
	}
	return workspace{scratch: scratch, uid: uid}, nil
}

// lock is held by the one runner that works on the node.
func (w workspace) lock() string { return filepath.Join(w.scratch, "lock") }

// root holds everything of the benchmark.
func (w workspace) root() string { return filepath.Join(w.scratch, w.uid) }

func (w workspace) journal() string { return filepath.Join(w.root(), "journal") }

// files holds the file devices.
func (w workspace) files() string { return filepath.Join(w.root(), "files") }

// target is where the dataset is mounted.
func (w workspace) target() string { return filepath.Join(w.root(), "target") }

// children holds where the children of the dataset are mounted, each under its name.
func (w workspace) children() string { return filepath.Join(w.root(), "children") }

// child is where a child of the dataset is mounted.
func (w workspace) child(name string) string { return filepath.Join(w.children(), name) }

// mountPoints are where the dataset and its children may be mounted.
func (w workspace) mountPoints() ([]string, error) {
	entries, err := os.ReadDir(w.children())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("look for mounts: %w", err)
	}
	var dirs []string
	for _, entry := range entries {
		dirs = append(dirs, w.child(entry.Name()))
	}
	return append(dirs, w.target()), nil
}

// output is where tools leave their reports.
func (w workspace) output() string { return filepath.Join(w.root(), "output") }

// sandbox is the empty directory that sandboxes build their root on.
func (w workspace) sandbox() string { return filepath.Join(w.root(), "sandbox") }

// standIns is where the preflight puts sparse files in the place of file devices.
func (w workspace) standIns() string { return filepath.Join(w.root(), "preflight") }

// file is the path of a file device.
func (w workspace) file(device string) string { return filepath.Join(w.files(), device) }

// make makes the directories; those that exist stay.
func (w workspace) make() error {
	for _, dir := range []string{w.journal(), w.files(), w.target(), w.output(), w.sandbox()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make workspace: %w", err)
		}
	}
	return nil
}

// remove removes all of the benchmark's directories. The caller has nothing mounted there and owns no file device.
func (w workspace) remove() error {
	// Only what is expected there, and directories only if empty: a file device that is still owned must not go this way.
	dirs, err := w.mountPoints()
	if err != nil {
		return fmt.Errorf("remove workspace: %w", err)
	}
	for _, dir := range append(dirs, w.children(), w.files(), w.sandbox()) {
		if err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove workspace: %w", err)
		}
	}
	if err := os.RemoveAll(w.root()); err != nil {
		return fmt.Errorf("remove workspace: %w", err)
	}
	return nil
}

// others are the workspaces of other benchmarks in the same scratch directory.
func (w workspace) others() ([]workspace, error) {
	entries, err := os.ReadDir(w.scratch)
	if err != nil {
		return nil, err
	}
	var others []workspace
	for _, entry := range entries {
		if other, err := newWorkspace(w.scratch, entry.Name()); err == nil && entry.IsDir() && other.uid != w.uid {
			others = append(others, other)
		}
	}
	return others, nil
}
