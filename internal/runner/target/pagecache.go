// SPDX-License-Identifier: Apache-2.0

package target

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// dropFromPageCache drops an exported pool's file devices from the page cache.
func (h *Host) dropFromPageCache(t *Target) error {
	for _, d := range t.Own.Devices {
		if d.File == "" {
			continue
		}
		if err := forget(d.File); err != nil {
			return fmt.Errorf("drop device %s from the page cache: %w", d.Name, err)
		}
	}
	return nil
}

// forget syncs a file, so that all its pages are clean, and drops them.
func forget(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED), f.Close())
}
