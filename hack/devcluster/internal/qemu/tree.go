package qemu

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"zfsbench.io/operator/hack/devcluster/internal/artefact"
	"zfsbench.io/operator/hack/devcluster/internal/daemon"
	"zfsbench.io/operator/hack/devcluster/internal/debian"
	"zfsbench.io/operator/hack/devcluster/internal/netns"
)

// TreeName is the name of QEMU's tree in the cache.
const TreeName = "qemu"

// Tree is a Debian tree with QEMU 10 in it. The host's own QEMU is never used: Debian 12's 7.2 emulates some
// flag arithmetic wrongly, and the node's kernel then fails in its locks.
type Tree struct {
	Dir string
}

// EnsureTree returns the tree, making it first when it is missing.
func EnsureTree(ctx context.Context, store artefact.Store, mirror string, log io.Writer) (Tree, error) {
	recipe := debian.Tree{
		Components: []string{"main"},
		Packages:   []string{"qemu-system-x86", "qemu-utils"},
		Excludes:   debian.DocumentationPaths(),
	}
	key, err := recipe.Key(artefact.NewKey("qemu-tree 1"), mirror).Sum()
	if err != nil {
		return Tree{}, fmt.Errorf("make QEMU tree: %w", err)
	}
	dir, err := store.Ensure(ctx, TreeName, key, func(ctx context.Context, path string) error {
		if err := recipe.Make(ctx, mirror, path, log); err != nil {
			return err
		}
		for _, mountPoint := range []string{RunDir, ImageDir} {
			if err := os.Mkdir(filepath.Join(path, mountPoint), 0o755); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Tree{}, fmt.Errorf("make QEMU tree: %w", err)
	}
	return Tree{Dir: dir}, nil
}

// Daemon returns what starts the machine. runDir and imageDir appear in the tree only to QEMU.
func (t Tree) Daemon(m Machine, runDir, imageDir string, namespace netns.Namespace) daemon.Spec {
	return daemon.Spec{
		Name:      DaemonName(m.Name),
		Args:      m.Args(),
		Namespace: namespace,
		Chroot:    t.Dir,
		Prepare:   func() error { return t.mount(runDir, imageDir) },
	}
}

// DaemonName is the name of the machine's process.
func DaemonName(machine string) string { return "qemu-" + machine }

// mount must run in a mount namespace of its own.
func (t Tree) mount(runDir, imageDir string) error {
	if err := daemon.MountProc(filepath.Join(t.Dir, "proc")); err != nil {
		return err
	}
	for source, target := range map[string]string{"/dev": "dev", runDir: RunDir, imageDir: ImageDir} {
		if err := daemon.Bind(source, filepath.Join(t.Dir, target)); err != nil {
			return err
		}
	}
	return nil
}
