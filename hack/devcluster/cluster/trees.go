package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"

	"zfsbench.io/operator/hack/devcluster/internal/progress"
)

// Trees are the Debian parts of a cluster.
type Trees struct {
	QEMU      string // directory that QEMU runs in
	NodeImage string // directory with a node's kernel, initial ramdisk and root disk
}

// BuildTrees builds the Debian parts of a cluster, without starting anything.
func BuildTrees(ctx context.Context, o Options) (Trees, error) {
	b, err := newBuilder(o, progress.New(o.Progress))
	if err != nil {
		return Trees{}, fmt.Errorf("build trees: %w", err)
	}
	tree, image, err := b.trees(ctx)
	if err != nil {
		return Trees{}, fmt.Errorf("build trees: %w", err)
	}
	return Trees{QEMU: tree, NodeImage: image}, nil
}

// Clean removes the cache with everything built. A cluster must not be up.
func Clean(ctx context.Context, o Options) error {
	run := runDir(o.RunDir)
	unlock, err := run.lock(ctx, progress.New(o.Progress))
	if err != nil {
		return fmt.Errorf("clean: %w", err)
	}
	defer unlock()
	switch _, err := run.readState(); {
	case err == nil:
		return errors.New("clean: a cluster is up and runs from the cache: run devcluster down first")
	case !errors.Is(err, ErrNotRunning):
		return fmt.Errorf("clean: %w", err)
	}
	if err := os.RemoveAll(o.CacheDir); err != nil {
		return fmt.Errorf("clean: %w", err)
	}
	return nil
}
