// Package artefact keeps what is expensive to build in the cache directory, each thing under the hash of
// everything that went into it, so that an unchanged recipe is never built again and a changed one always is.
package artefact

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Store is a cache directory.
type Store struct {
	Dir string
}

// Build makes the artefact at path, which does not exist yet; its parent does. It may create a file or a
// directory there.
type Build func(ctx context.Context, path string) error

// Path is where the artefact of that name and key is, or would be.
func (s Store) Path(name, key string) string {
	return filepath.Join(s.Dir, name+"-"+key)
}

// Ensure returns the artefact's path, building it first when it is not there. It is built under a temporary
// name and renamed when whole, so an interrupted build is never taken for a finished one. Only one process
// builds an artefact at a time; others wait.
func (s Store) Ensure(ctx context.Context, name, key string, build Build) (string, error) {
	path := s.Path(name, key)
	if exists(path) {
		return path, nil
	}
	unlock, err := s.lock(ctx, name)
	if err != nil {
		return "", fmt.Errorf("ensure %s: %w", name, err)
	}
	defer unlock()
	if exists(path) {
		return path, nil
	}
	if err := s.build(ctx, name, path, build); err != nil {
		return "", fmt.Errorf("build %s: %w", name, err)
	}
	return path, nil
}

func (s Store) build(ctx context.Context, name, path string, build Build) (err error) {
	tmp, err := MkdirTemp(s.Dir, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	whole := filepath.Join(tmp, "artefact")
	if err := build(ctx, whole); err != nil {
		return err
	}
	return os.Rename(whole, path)
}

// MkdirTemp makes a directory in dir for building what has that name, and removes the directories of builds that were
// killed. The caller holds the lock of that name. Each build has a directory of its own, because a killed build may
// leave a process that still writes to its own.
func MkdirTemp(dir, name string) (string, error) {
	prefix := ".tmp." + name + "."
	stale, err := filepath.Glob(filepath.Join(dir, prefix+"*"))
	if err != nil {
		return "", fmt.Errorf("find what an interrupted build left: %w", err)
	}
	for _, path := range stale {
		if err := os.RemoveAll(path); err != nil {
			return "", fmt.Errorf("remove what an interrupted build left: %w", err)
		}
	}
	tmp, err := os.MkdirTemp(dir, prefix)
	if err != nil {
		return "", err
	}
	// Others than root read what is built here, such as the user that apt downloads as.
	return tmp, os.Chmod(tmp, 0o755)
}

// Prune removes every artefact of that name whose key is not kept, and returns the removed paths.
func (s Store) Prune(ctx context.Context, name string, keep ...string) ([]string, error) {
	unlock, err := s.lock(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("prune %s: %w", name, err)
	}
	defer unlock()
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return nil, fmt.Errorf("prune %s: %w", name, err)
	}
	var removed []string
	for _, e := range entries {
		key, found := strings.CutPrefix(e.Name(), name+"-")
		if !found || !isKey(key) || contains(keep, key) {
			continue
		}
		path := filepath.Join(s.Dir, e.Name())
		if err := os.RemoveAll(path); err != nil {
			return removed, fmt.Errorf("prune %s: %w", name, err)
		}
		removed = append(removed, path)
	}
	return removed, nil
}

func contains(keys []string, key string) bool {
	for _, k := range keys {
		if k == key {
			return true
		}
	}
	return false
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
