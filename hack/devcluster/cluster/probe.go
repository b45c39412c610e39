package cluster

import (
	"context"
	"fmt"
	"os"
	"strings"

	"zfsbench.io/operator/hack/devcluster/internal/artefact"
	"zfsbench.io/operator/hack/devcluster/internal/qemu"
)

// probeName is the probe's result in the cache.
const probeName = "kvm-probe"

// probeKVM returns the cached answer for this boot of the machine, this QEMU and this kernel, or finds it.
func probeKVM(ctx context.Context, store artefact.Store, built artefacts) (bool, error) {
	bootID, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return false, fmt.Errorf("probe KVM: %w", err)
	}
	key, err := artefact.NewKey(probeName).Strings(string(bootID), built.QEMUTree, built.ImageDir).Sum()
	if err != nil {
		return false, fmt.Errorf("probe KVM: %w", err)
	}
	path, err := store.Ensure(ctx, probeName, key, func(ctx context.Context, path string) error {
		dir := path + ".run"
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
		usable, err := (qemu.Tree{Dir: built.QEMUTree}).ProbeKVM(ctx, dir, built.ImageDir)
		if err != nil {
			return err
		}
		return os.WriteFile(path, fmt.Appendln(nil, usable), 0o644)
	})
	if err != nil {
		return false, err
	}
	if _, err := store.Prune(ctx, probeName, key); err != nil {
		return false, err
	}
	answer, err := os.ReadFile(path)
	return strings.TrimSpace(string(answer)) == "true", err
}
