// Package nodeimage makes what a storage node boots from: a Debian root filesystem with OpenZFS, the disk
// image made of it, and the small disk that tells one node of one cluster from the next.
package nodeimage

import (
	"context"
	"fmt"
	"io"
	"os"

	"zfsbench.io/operator/hack/devcluster/internal/artefact"
	"zfsbench.io/operator/hack/devcluster/internal/debian"
)

// Names in the cache.
const (
	RootfsName = "node-rootfs"
	ImageName  = "node-image"
	PauseName  = "pause"
)

// packages of a storage node. DKMS compiles the OpenZFS module while they are installed.
func packages() []string {
	return []string{
		"linux-image-cloud-amd64", "linux-headers-cloud-amd64",
		"zfs-dkms", "zfsutils-linux",
		"systemd", "systemd-sysv", "udev", "kmod", "iproute2", "ca-certificates", "openssh-server",
		"containerd", "runc", "containernetworking-plugins", "iptables", "nftables", "conntrack",
		// What else uses disks, and what tests look at them with.
		"mdadm", "lvm2", "cryptsetup-bin", "xfsprogs", "btrfs-progs", "dosfstools", "e2fsprogs", "gdisk", "fdisk",
		"fio", "jq", "procps", "psmisc",
	}
}

// ensureRootfs returns the node's root filesystem as an archive.
func ensureRootfs(
	ctx context.Context, store artefact.Store, mirror string, log io.Writer,
) (path, key string, err error) {
	recipe := debian.Tree{
		Components: []string{"main", "contrib"},
		Packages:   packages(),
		Excludes:   debian.DocumentationPaths(),
	}
	key, err = recipe.Key(artefact.NewKey("node-rootfs 1"), mirror).Sum()
	if err != nil {
		return "", "", fmt.Errorf("make node's root filesystem: %w", err)
	}
	path, err = store.Ensure(ctx, RootfsName, key, func(ctx context.Context, path string) error {
		archive := path + ".tar" // mmdebstrap tells an archive by its name
		if err := recipe.Make(ctx, mirror, archive, log); err != nil {
			return err
		}
		return os.Rename(archive, path)
	})
	if err != nil {
		return "", "", fmt.Errorf("make node's root filesystem: %w", err)
	}
	return path, key, nil
}
