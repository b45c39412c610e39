// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"time"

	"zfsbench.io/operator/internal/node/hostexec"
)

const (
	// udevPatience is how long the kernel and udev may take to show a new partition, or to forget an old one.
	udevPatience = 60 * time.Second
	// pollInterval is how often conditions that take a while are checked.
	pollInterval = 200 * time.Millisecond
	// rereadAfter is when the guard itself makes the kernel read the partition table. udev also does it once the disk
	// is closed after writing, and then removes every partition and adds it again. If both did it at the same time, a
	// partition could disappear while somebody uses it.
	rereadAfter = 5 * time.Second
)

// retry tries until it succeeds. After the patience, or when the context ends, it returns the last error.
func retry(ctx context.Context, patience time.Duration, try func() error) error {
	return retryEvery(ctx, pollInterval, patience, try)
}

// retryEvery is retry with a given interval.
func retryEvery(ctx context.Context, interval, patience time.Duration, try func() error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	poll := time.NewTicker(interval)
	defer poll.Stop()
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return err
		}
	}
}

// settle waits until udev has handled its queue. It only avoids working too early: no decision depends on it, and a
// host may have another device manager.
func (g *Guard) settle(ctx context.Context) {
	_, _ = g.host.Run(ctx, hostexec.Cmd{Args: []string{"udevadm", "settle", "--timeout=30"}})
}

// waitFor retries until the condition holds twice, with a settled udev in between, because udev may be about to examine
// the disk again.
func (g *Guard) waitFor(ctx context.Context, disk *Disk, holds func() error) error {
	reread := time.NewTimer(rereadAfter)
	defer reread.Stop()
	return retry(ctx, udevPatience, func() error {
		g.settle(ctx)
		err := holds()
		if err == nil {
			g.settle(ctx)
			err = holds()
		}
		select {
		case <-reread.C:
			if err != nil {
				err = errors.Join(err, g.reread(disk))
			}
		default:
		}
		return err
	})
}

// reread makes the kernel read the partition table, through a read-only descriptor.
func (g *Guard) reread(disk *Disk) (err error) {
	opened, err := g.node.Open(g.node.path(disk.Device), shared)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	if err := g.stillTheDisk(opened, disk); err != nil {
		return err
	}
	return opened.Reread()
}
