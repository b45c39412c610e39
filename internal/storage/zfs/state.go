// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// suspended is the state of a pool whose I/O is stopped, in the kernel's words.
const suspended = "SUSPENDED"

// CheckState returns nil for a pool that answers, *SuspendedError for one that does not and *NoPoolError for one that
// is not imported. It reads the kernel's own state and, unlike zpool, never waits for a pool. In OpenZFS 2.1 this state
// does not show that a pool with failmode=continue is suspended; zpool's health does.
func (c *Client) CheckState(pool string) error {
	if err := checkPoolName(pool); err != nil {
		return err
	}
	state, err := c.readFile("/proc/spl/kstat/zfs/" + pool + "/state")
	if errors.Is(err, fs.ErrNotExist) {
		return &NoPoolError{Pool: pool}
	}
	if err != nil {
		return fmt.Errorf("state of pool %s: %w", pool, err)
	}
	if strings.TrimSpace(string(state)) == suspended {
		return &SuspendedError{Pool: pool}
	}
	return nil
}
