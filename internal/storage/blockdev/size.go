// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"
)

// minimumBytes has room for a partition of OpenZFS's minimum size, 64 MiB, between the two ends.
const minimumBytes = minimumPartitionBytes + 2*mebibyte

// checkSize requires exactly the promised size.
func (g *Guard) checkSize(_ context.Context, look *hostState, disk *Disk) error {
	return decideSize(disk.SizeBytes, look.tree[disk.Number].SizeBytes)
}

func decideSize(want, got int64) error {
	if got != want {
		return fmt.Errorf("it has %d bytes, the policy promises %d", got, want)
	}
	if got < minimumBytes {
		return fmt.Errorf("it has %d bytes, OpenZFS needs at least %d", got, minimumBytes)
	}
	return nil
}

// checkReadOnly requires a writable disk.
func (g *Guard) checkReadOnly(_ context.Context, look *hostState, disk *Disk) error {
	if look.tree[disk.Number].ReadOnly {
		return errors.New("it is read-only")
	}
	return nil
}
