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
	// pollInterval is how often anything is looked at that takes a while.
	pollInterval = 200 * time.Millisecond
	// rereadAfter is when the guard itself makes the kernel read the partition table. udev does it, too, once the disk is
	// closed after writing, and then takes every partition away and brings it back: doing it at the same time would make a
	// partition vanish from under its user.
	rereadAfter = 5 * time.Second
)

// retry tries until it succeeds; after the patience, or when the context ends, the last error is returned.
func retry(ctx context.Context, patience time.Duration, try func() error) error {
	return retryEvery(ctx, pollInterval, patience, try)
}

// retryEvery is retry with an interval of its own.
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

// settle waits until udev has handled what it knows of. It helps against working too early but decides nothing, and a
// host may have another device manager.
func (g *Guard) settle(ctx context.Context) {
	_, _ = g.host.Run(ctx, hostexec.Cmd{Args: []string{"udevadm", "settle", "--timeout=30"}})
}

// waitFor retries until the condition holds, twice with a settled udev in between, since udev may be about to look at
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

// reread makes the kernel read the partition table, through a descriptor that cannot write.
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
