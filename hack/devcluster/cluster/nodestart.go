package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/crypto/ssh"

	"zfsbench.io/operator/hack/devcluster/internal/kubebin"
	"zfsbench.io/operator/hack/devcluster/internal/nodeimage"
	"zfsbench.io/operator/hack/devcluster/internal/pki"
	"zfsbench.io/operator/hack/devcluster/internal/qemu"
	"zfsbench.io/operator/hack/devcluster/internal/remote"
)

// prepareNode makes the node's disks unless they are there.
func prepareNode(ctx context.Context, run runDir, s state, n nodeState) error {
	dir := run.node(n.Name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, d := range n.Disks {
		if err := makeDiskFile(filepath.Join(dir, d.File()), d.SizeBytes); err != nil {
			return err
		}
	}
	if err := makeRootDisk(ctx, filepath.Join(dir, qemu.RootDisk), s.Artefacts); err != nil {
		return err
	}
	config := filepath.Join(dir, qemu.ConfigDisk)
	if exists(config) {
		return nil
	}
	c, err := nodeConfig(run, s, n)
	if err != nil {
		return err
	}
	return c.WriteDisk(ctx, config)
}

// makeDiskFile makes a sparse file unless there is one.
func makeDiskFile(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("make disk: %w", err)
	}
	if err := f.Truncate(size); err != nil {
		return fmt.Errorf("make disk: %w", errors.Join(err, f.Close(), os.Remove(path)))
	}
	return f.Close()
}

// makeRootDisk makes an overlay of the image, which itself is never written to.
func makeRootDisk(ctx context.Context, path string, a artefacts) error {
	if exists(path) {
		return nil
	}
	tmp := path + ".tmp"
	if err := (qemu.Tree{Dir: a.QEMUTree}).CreateOverlay(ctx, tmp, a.ImageDir); err != nil {
		return fmt.Errorf("make root disk: %w", err)
	}
	return os.Rename(tmp, path)
}

func nodeConfig(run runDir, s state, n nodeState) (nodeimage.Config, error) {
	client, err := remote.ReadKey(run.pki(), remote.ClientKey)
	if err != nil {
		return nodeimage.Config{}, err
	}
	hostKey, err := os.ReadFile(filepath.Join(run.pki(), remote.HostKey))
	if err != nil {
		return nodeimage.Config{}, err
	}
	version, err := kubebin.ParseVersion(s.KubernetesVersion)
	if err != nil {
		return nodeimage.Config{}, err
	}
	return nodeimage.Config{
		NodeName: n.Name, NodeIP: nodeIP(n.Index),
		PodCIDR: nodePods(n.Index), ClusterCIDR: podCIDR,
		APIServer: apiServer(), Version: version,
		BinDir: s.Artefacts.BinDir, PKIDir: run.pki(), PauseArchive: s.Artefacts.PauseArchive,
		AuthorizedKey: ssh.MarshalAuthorizedKey(client.PublicKey()), HostKey: hostKey,
		KubeletCertificate: pki.NodeName(n.Name), ProxyCertificate: pki.Proxy,
	}, nil
}

// startNode starts the node's machine unless it runs.
func startNode(run runDir, s state, n nodeState) error {
	machine := qemu.Machine{
		Name: n.Name, CPUs: n.CPUs, MemoryMiB: n.MemoryMiB, Accel: s.Accel,
		Tap: nodeTap(n.Index), MAC: nodeMAC(n.Index),
		Address: nodeIP(n.Index), Netmask: netmask, Gateway: gateway,
		Disks: n.Disks,
	}
	tree := qemu.Tree{Dir: s.Artefacts.QEMUTree}
	_, err := run.daemons().Ensure(tree.Daemon(machine, run.node(n.Name), s.Artefacts.ImageDir, run.namespace()))
	return err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
