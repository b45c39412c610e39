package qemu

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// probeTimeout is how long a kernel may take to start; with working KVM it needs about two seconds.
const probeTimeout = 20 * time.Second

// probeSuccess is what a kernel without a root disk says after it has started everything else.
const probeSuccess = "Unable to mount root fs"

// ProbeKVM reports whether KVM runs the node's kernel. That /dev/kvm opens, or even creates a machine, proves
// nothing: there are hosts on which every kernel then dies. dir is an empty directory for the probe.
func (t Tree) ProbeKVM(ctx context.Context, dir, imageDir string) (bool, error) {
	kvm, err := os.OpenFile("/dev/kvm", os.O_RDWR, 0)
	if err != nil {
		return false, nil
	}
	kvm.Close()
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	args := []string{
		binary, "-nodefaults", "-no-user-config", "-display", "none", "-machine", "pc", "-accel", "kvm", "-cpu", "host",
		"-m", "512", "-smp", "2", "-no-reboot", "-serial", "file:" + RunDir + "/" + SerialLog,
		"-kernel", ImageDir + "/" + Kernel, "-append", "console=ttyS0 panic=-1 mitigations=off",
	}
	// A machine that crashes or hangs is an answer, not an error; what counts is how far the kernel came.
	_, _ = t.run(ctx, dir, imageDir, args)
	if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return false, ctx.Err()
	}
	serial, err := os.ReadFile(filepath.Join(dir, SerialLog))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return bytes.Contains(serial, []byte(probeSuccess)), err
}
