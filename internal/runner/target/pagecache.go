// SPDX-License-Identifier: Apache-2.0

package target

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// dropFromPageCache asks the kernel to forget what it holds of a pool's file devices. The pool is exported: all of it
// is on the disk already.
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

// forget drops a file's clean pages, which are all pages once it is synced.
func forget(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED), f.Close())
}
