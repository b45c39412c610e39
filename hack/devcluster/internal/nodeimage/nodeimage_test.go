package nodeimage

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"zfsbench.io/operator/hack/devcluster/internal/artefact"
	"zfsbench.io/operator/hack/devcluster/internal/kubebin"
)

func TestApplyOverlay(t *testing.T) {
	root := t.TempDir()
	// As a Debian tree has them: host keys, a unit that is to be masked, a link that leads out of the tree.
	outside := filepath.Join(t.TempDir(), "resolv.conf")
	for path, content := range map[string]string{
		"etc/ssh/ssh_host_ed25519_key": "key", "etc/hostname": "builder", "etc/systemd/system/fstrim.timer": "[Timer]",
	} {
		target := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(target, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(root, "etc/resolv.conf")); err != nil {
		t.Fatal(err)
	}
	for range 2 { // again is the same
		if err := applyOverlay(root); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"etc/ssh/ssh_host_ed25519_key", "etc/hostname"} {
		if _, err := os.Lstat(filepath.Join(root, path)); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
	if _, err := os.Lstat(outside); err == nil {
		t.Error("a file was written outside the tree")
	}
	for link, want := range map[string]string{
		"etc/systemd/system/fstrim.timer":                            "/dev/null",
		"etc/systemd/system/multi-user.target.wants/kubelet.service": "../kubelet.service",
	} {
		got, err := os.Readlink(filepath.Join(root, link))
		if err != nil || got != want {
			t.Errorf("%s leads to %q (%v), want %q", link, got, err, want)
		}
	}
}

// Every file of the overlay takes part in the key of the image.
func TestOverlayContent(t *testing.T) {
	content, err := overlayContent()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"overlay/etc/fstab", "overlay/etc/systemd/system/kubelet.service",
		"etc/systemd/system/fstrim.timer"} {
		if content[path] == "" {
			t.Errorf("%s is missing", path)
		}
	}
}

func TestNodeConfiguration(t *testing.T) {
	tests := map[string]struct {
		version kubebin.Version
		want    any // featureGates
	}{
		"current":                         {kubebin.Version{Major: 1, Minor: 36}, nil},
		"before nftables was the default": {kubebin.Version{Major: 1, Minor: 30}, map[string]any{"NFTablesProxyMode": true}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			content, err := Config{NodeName: "storage-0", ClusterCIDR: "10.244.0.0/16",
				Version: test.version}.proxyConfiguration()
			if err != nil {
				t.Fatal(err)
			}
			var got map[string]any
			if err := json.Unmarshal(content, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got["featureGates"]); diff != "" {
				t.Errorf("feature gates (-want +got):\n%s", diff)
			}
		})
	}
	conflist, err := Config{PodCIDR: "10.244.3.0/24"}.conflist()
	if err != nil {
		t.Fatal(err)
	}
	var network struct {
		Plugins []struct {
			Type string
			IPAM struct {
				Ranges [][]struct{ Subnet string }
			}
		}
	}
	if err := json.Unmarshal(conflist, &network); err != nil {
		t.Fatal(err)
	}
	if got := network.Plugins[0].IPAM.Ranges[0][0].Subnet; got != "10.244.3.0/24" {
		t.Errorf("pods get addresses of %q", got)
	}
}

func TestPauseImage(t *testing.T) {
	store := artefact.Store{Dir: t.TempDir()}
	path, err := EnsurePause(t.Context(), store, "../../pause")
	if err != nil {
		t.Fatal(err)
	}
	image, err := tarball.ImageFromPath(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/pause"}, config.Config.Entrypoint); diff != "" {
		t.Errorf("entry point (-want +got):\n%s", diff)
	}
}
