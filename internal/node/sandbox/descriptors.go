// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// closeOnExec makes sure that the tool gets only the three standard descriptors: not the two for talking to the parent,
// and none that the runner's parent forgot to close.
func closeOnExec() error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return fmt.Errorf("list open descriptors: %w", err)
	}
	for _, entry := range entries {
		fd, err := strconv.Atoi(entry.Name())
		if err != nil {
			return fmt.Errorf("list open descriptors: %w", err)
		}
		if fd > unix.Stderr {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}
