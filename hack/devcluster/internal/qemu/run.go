package qemu

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"zfsbench.io/operator/hack/devcluster/internal/daemon"
	"zfsbench.io/operator/hack/devcluster/internal/netns"
)

const imageTool = "/usr/bin/qemu-img"

// CreateOverlay makes a disk at path that starts as a copy of the image in imageDir and holds only what is
// changed. The image itself is never written to.
func (t Tree) CreateOverlay(ctx context.Context, path, imageDir string) error {
	dir, file := filepath.Split(path)
	args := []string{imageTool, "create", "-q", "-f", "qcow2", "-F", "raw", "-b", ImageDir + "/" + RootImage, RunDir +
		"/" + file}
	if output, err := t.run(ctx, dir, imageDir, args); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, output)
	}
	return nil
}

// run runs a program of the tree to its end and returns what it printed.
func (t Tree) run(ctx context.Context, runDir, imageDir string, args []string) (string, error) {
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = "/"
	cmd.Env = []string{"LC_ALL=C", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"}
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: t.Dir}
	err := netns.OnThread(func() error {
		if err := daemon.PrivateMounts(); err != nil {
			return err
		}
		if err := t.mount(runDir, imageDir); err != nil {
			return err
		}
		return cmd.Start()
	})
	if err != nil {
		return "", err
	}
	err = cmd.Wait()
	return output.String(), err
}
