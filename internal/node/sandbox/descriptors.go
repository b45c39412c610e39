// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// closeOnExec sees to it that the tool gets no descriptor but the three standard ones: not the two of the conversation
// with the parent, and none that whoever started the runner forgot to close.
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
