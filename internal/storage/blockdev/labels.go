// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"fmt"
)

// checkLabels requires a disk on which zdb finds none of the four labels of OpenZFS, whatever the pool, imported or
// not.
func (g *Guard) checkLabels(ctx context.Context, _ *hostState, disk *Disk) error {
	labels, err := g.zfs.Labels(ctx, disk.Device)
	if err != nil {
		return fmt.Errorf("nobody can say whether it has OpenZFS labels: %w", err)
	}
	if len(labels) > 0 {
		return fmt.Errorf("it has OpenZFS labels of pool %q", labels[0].Pool)
	}
	return nil
}
