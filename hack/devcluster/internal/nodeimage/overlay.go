package nodeimage

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed overlay
var overlayFiles embed.FS

// links are the symbolic links of the overlay: units enabled, and units masked because they would run
// beside a measurement or only slow the boot.
func links() map[string]string {
	links := map[string]string{}
	const system = "etc/systemd/system/"
	for _, unit := range []string{"kubelet.service", "kube-proxy.service"} {
		links[system+"multi-user.target.wants/"+unit] = "../" + unit
	}
	for _, unit := range []string{"containerd.service", "ssh.service", "systemd-networkd.service"} {
		links[system+"multi-user.target.wants/"+unit] = "/usr/lib/systemd/system/" + unit
	}
	links[system+"sysinit.target.wants/systemd-network-generator.service"] =
		"/usr/lib/systemd/system/systemd-network-generator.service"
	links[system+"network-online.target.wants/systemd-networkd-wait-online.service"] =
		"/usr/lib/systemd/system/systemd-networkd-wait-online.service"
	for _, unit := range []string{
		"apt-daily.timer", "apt-daily-upgrade.timer", "dpkg-db-backup.timer", "man-db.timer", "logrotate.timer",
		"e2scrub_all.timer", "e2scrub_reap.service", "fstrim.timer", "systemd-tmpfiles-clean.timer",
		"mdcheck_start.timer", "mdcheck_continue.timer", "mdmonitor-oneshot.timer",
		"getty@tty1.service", "serial-getty@ttyS0.service", "console-getty.service",
	} {
		links[system+unit] = "/dev/null"
	}
	return links
}

// applyOverlay adds our files to the root filesystem at root and removes what must differ between clusters.
func applyOverlay(root string) error {
	if err := copyOverlay(root); err != nil {
		return fmt.Errorf("add overlay: %w", err)
	}
	for link, target := range links() {
		if err := replaceLink(filepath.Join(root, link), target); err != nil {
			return fmt.Errorf("add overlay: %w", err)
		}
	}
	stale, err := filepath.Glob(filepath.Join(root, "etc/ssh/ssh_host_*"))
	if err != nil {
		return fmt.Errorf("add overlay: %w", err)
	}
	for _, path := range append(stale, filepath.Join(root, "etc/hostname"), filepath.Join(root, "etc/hostid")) {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("add overlay: %w", err)
		}
	}
	return os.MkdirAll(filepath.Join(root, "opt/zfsbench"), 0o755)
}

func copyOverlay(root string) error {
	return fs.WalkDir(overlayFiles, "overlay", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel("overlay", path)
		if err != nil {
			return err
		}
		target := filepath.Join(root, relative)
		if entry.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		content, err := overlayFiles.ReadFile(path)
		if err != nil {
			return err
		}
		// A link in the tree must not lead outside it.
		if err := os.Remove(target); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return os.WriteFile(target, content, 0o644)
	})
}

func replaceLink(path, target string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Symlink(target, path)
}

// overlayContent returns everything the overlay consists of, for the image's key.
func overlayContent() (map[string]string, error) {
	content := links()
	err := fs.WalkDir(overlayFiles, "overlay", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		bytes, err := overlayFiles.ReadFile(path)
		content[path] = string(bytes)
		return err
	})
	return content, err
}
