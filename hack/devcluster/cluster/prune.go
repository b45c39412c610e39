package cluster

import (
	"context"
	"path/filepath"
	"strings"

	"zfsbench.io/operator/hack/devcluster/internal/nodeimage"
	"zfsbench.io/operator/hack/devcluster/internal/qemu"
)

// prune removes what older recipes left in the cache. Binaries are kept: several Kubernetes versions may be in
// use in turn.
func (b builder) prune(ctx context.Context, used artefacts) error {
	for name, path := range map[string]string{
		qemu.TreeName:       used.QEMUTree,
		nodeimage.ImageName: used.ImageDir,
		nodeimage.PauseName: used.PauseArchive,
		forwarderName:       used.Forwarder,
	} {
		key := strings.TrimPrefix(filepath.Base(path), name+"-")
		removed, err := b.options.store().Prune(ctx, name, key)
		if err != nil {
			return err
		}
		for _, path := range removed {
			b.report.Note("removed %s, made by an older recipe", filepath.Base(path))
		}
	}
	return nil
}
