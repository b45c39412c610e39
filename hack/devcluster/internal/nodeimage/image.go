package nodeimage

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"zfsbench.io/operator/hack/devcluster/internal/artefact"
	"zfsbench.io/operator/hack/devcluster/internal/command"
	"zfsbench.io/operator/hack/devcluster/internal/qemu"
)

// rootSize is the root disk's size as mke2fs takes it; the file is sparse.
const rootSize = "20G"

// Ensure returns the directory with the node's kernel, initial ramdisk and root disk image.
func Ensure(ctx context.Context, store artefact.Store, mirror string, log io.Writer) (string, error) {
	rootfs, rootfsKey, err := ensureRootfs(ctx, store, mirror, log)
	if err != nil {
		return "", err
	}
	content, err := overlayContent()
	if err != nil {
		return "", fmt.Errorf("make node image: %w", err)
	}
	key, err := artefact.NewKey("node-image 1").Strings(rootfsKey, rootSize).Map(content).Sum()
	if err != nil {
		return "", fmt.Errorf("make node image: %w", err)
	}
	dir, err := store.Ensure(ctx, ImageName, key, func(ctx context.Context, path string) error {
		return makeImage(ctx, rootfs, path, log)
	})
	if err != nil {
		return "", fmt.Errorf("make node image: %w", err)
	}
	// An archive of an older recipe serves nobody and takes nearly a gibibyte.
	if _, err := store.Prune(ctx, RootfsName, rootfsKey); err != nil {
		return "", fmt.Errorf("make node image: %w", err)
	}
	return dir, nil
}

func makeImage(ctx context.Context, rootfs, dir string, log io.Writer) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	root := dir + ".root"
	if err := os.Mkdir(root, 0o755); err != nil {
		return err
	}
	extract := command.Spec{Args: []string{"tar", "--extract", "--numeric-owner", "--xattrs", "--xattrs-include=*",
		"--directory", root, "--file", rootfs}}
	if _, err := command.Run(ctx, extract); err != nil {
		return err
	}
	if err := applyOverlay(root); err != nil {
		return err
	}
	if err := moveBootFiles(root, dir); err != nil {
		return err
	}
	return makeExt4(ctx, root, filepath.Join(dir, qemu.RootImage), "zfsbench-root", rootSize, log)
}

// moveBootFiles takes kernel and initial ramdisk out of the tree; QEMU loads them from the host.
func moveBootFiles(root, dir string) error {
	for pattern, name := range map[string]string{"vmlinuz-*": qemu.Kernel, "initrd.img-*": qemu.Initrd} {
		found, err := filepath.Glob(filepath.Join(root, "boot", pattern))
		if err != nil {
			return err
		}
		if len(found) != 1 {
			return fmt.Errorf("the root filesystem has %d files boot/%s, want one", len(found), pattern)
		}
		if err := os.Rename(found[0], filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// makeExt4 makes a filesystem image that holds a copy of root, without mounting anything.
func makeExt4(ctx context.Context, root, image, label, size string, log io.Writer, options ...string) error {
	args := append([]string{"mke2fs", "-q", "-F", "-t", "ext4", "-L", label, "-d", root}, options...)
	_, err := command.Run(ctx, command.Spec{Args: append(args, image, size), Log: log})
	return err
}
