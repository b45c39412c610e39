package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"zfsbench.io/operator/hack/devcluster/internal/files"
	"zfsbench.io/operator/hack/devcluster/internal/qemu"
)

// CopyFile copies a file of this machine to a path on the node, whose directory must exist, keeping its mode.
func (n *Node) CopyFile(ctx context.Context, source, target string) error {
	info, err := os.Stat(source)
	if err != nil {
		return fmt.Errorf("copy to %s: %w", n.name, err)
	}
	err = n.withTransferDisk(ctx, source, func(device string) error {
		// Beside the target first, so that a program that is being run can be replaced.
		part := target + ".part"
		for _, args := range [][]string{
			{"dd", "bs=1M", "status=none", "iflag=count_bytes", "count=" + strconv.FormatInt(info.Size(), 10),
				"if=" + device, "of=" + part},
			{"chmod", strconv.FormatUint(uint64(info.Mode().Perm()), 8), part},
			{"mv", "-T", "--", part, target},
		} {
			if _, _, err := n.Run(ctx, Command{Args: args}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("copy %s to %s: %w", source, n.name, err)
	}
	return nil
}

// withTransferDisk plugs the file in as a disk while fn runs. The device is the file's content, filled up with
// zeros to whole sectors.
func (n *Node) withTransferDisk(ctx context.Context, source string, fn func(device string) error) error {
	unlock, err := n.cluster.run.lock(ctx, n.cluster.report)
	if err != nil {
		return err
	}
	defer unlock()
	if err := n.checkPower(); err != nil {
		return err
	}
	disk := qemu.TransferDisk()
	file := filepath.Join(n.cluster.run.node(n.name), disk.File())
	unplug := func() error {
		// Also when ctx has ended: the disk must not stay.
		ctx := context.WithoutCancel(ctx)
		err := n.monitor(ctx, func(q *qemu.QMP) error { return q.RemoveDisk(disk) })
		if errors.Is(err, qemu.ErrDiskMissing) {
			err = nil
		}
		return errors.Join(err, os.RemoveAll(file))
	}
	// One that an interrupted transfer left.
	if err := unplug(); err != nil {
		return err
	}
	if err := files.LinkOrCopy(source, file); err != nil {
		return err
	}
	err = n.monitor(ctx, func(q *qemu.QMP) error { return q.AddDisk(disk) })
	if err == nil {
		err = n.waitDevice(ctx, disk)
	}
	if err == nil {
		err = fn(disk.DevicePath())
	}
	return errors.Join(err, unplug())
}
