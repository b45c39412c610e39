package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"zfsbench.io/operator/hack/devcluster/internal/files"
	"zfsbench.io/operator/hack/devcluster/internal/kubebin"
	"zfsbench.io/operator/hack/devcluster/internal/pki"
)

// configLabel is the configuration disk's label, by which the image's fstab mounts it.
const configLabel = "zfsbench-conf"

// Config is what one node of one cluster is made of.
type Config struct {
	NodeName, NodeIP   string
	PodCIDR            string
	ClusterCIDR        string
	APIServer          string // URL as the node sees it
	Version            kubebin.Version
	BinDir, PKIDir     string
	PauseArchive       string
	AuthorizedKey      []byte
	HostKey            []byte
	ProxyCertificate   string
	KubeletCertificate string
}

// WriteDisk makes the configuration disk's image at path.
func (c Config) WriteDisk(ctx context.Context, path string) (err error) {
	dir := path + ".content"
	tmp := path + ".tmp"
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("make configuration disk: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := c.write(dir); err != nil {
		return fmt.Errorf("make configuration disk: %w", err)
	}
	if err := os.RemoveAll(tmp); err != nil {
		return fmt.Errorf("make configuration disk: %w", err)
	}
	// No journal, so that it can be mounted read-only from a read-only disk.
	if err := makeExt4(ctx, dir, tmp, configLabel, "384M", nil, "-O", "^has_journal", "-m", "0"); err != nil {
		return fmt.Errorf("make configuration disk: %w", err)
	}
	return os.Rename(tmp, path)
}

func (c Config) write(dir string) error {
	for _, sub := range []string{"bin", "cni"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return err
		}
	}
	for source, target := range map[string]string{
		filepath.Join(c.BinDir, kubebin.Kubelet):             "bin/kubelet",
		filepath.Join(c.BinDir, kubebin.Proxy):               "bin/kube-proxy",
		filepath.Join(c.PKIDir, pki.CA+".crt"):               "ca.crt",
		c.PauseArchive:                                       "pause.tar",
		filepath.Join(c.PKIDir, c.KubeletCertificate+".crt"): "kubelet.crt",
		filepath.Join(c.PKIDir, c.KubeletCertificate+".key"): "kubelet.key",
	} {
		if err := files.LinkOrCopy(source, filepath.Join(dir, target)); err != nil {
			return err
		}
	}
	for name, certificate := range map[string]string{"kubelet": c.KubeletCertificate, "kube-proxy": c.ProxyCertificate} {
		if err := pki.WriteKubeconfig(c.PKIDir, certificate, c.APIServer,
			filepath.Join(dir, name+".kubeconfig")); err != nil {
			return err
		}
	}
	return c.writeFiles(dir)
}

func (c Config) writeFiles(dir string) error {
	conflist, err := c.conflist()
	if err != nil {
		return err
	}
	proxy, err := c.proxyConfiguration()
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"authorized_keys":        c.AuthorizedKey,
		"ssh_host_ed25519_key":   c.HostKey,
		"node.env":               fmt.Appendf(nil, "NODE_NAME=%s\nNODE_IP=%s\n", c.NodeName, c.NodeIP),
		"cni/10-bridge.conflist": conflist,
		"kube-proxy.yaml":        proxy,
		"kubelet.yaml":           []byte(kubeletConfiguration),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
