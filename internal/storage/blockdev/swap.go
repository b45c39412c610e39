// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"zfsbench.io/operator/internal/node/mountinfo"
	"zfsbench.io/operator/internal/text/lines"
)

// swap is a line of /proc/swaps.
type swap struct {
	Path string
	// Partition is true for a block device; false for a file on a mounted filesystem.
	Partition bool
}

// parseSwaps reads /proc/swaps.
func parseSwaps(r io.Reader) ([]swap, error) {
	var swaps []swap
	for line, err := range lines.Raw(r) {
		if err != nil {
			return nil, fmt.Errorf("swaps: %w", err)
		}
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "Filename" {
			continue
		}
		if len(fields) < 2 || !strings.HasPrefix(fields[0], "/") {
			return nil, fmt.Errorf("swaps: unexpected line %q", line)
		}
		swaps = append(swaps, swap{Path: mountinfo.Unescape(fields[0]), Partition: fields[1] != "file"})
	}
	return swaps, nil
}

func (n machine) readSwaps() ([]swap, error) {
	file, err := os.Open(n.path("/proc/swaps"))
	if missing(err) {
		return nil, nil // a kernel without swapping
	}
	if err != nil {
		return nil, fmt.Errorf("swaps: %w", err)
	}
	swaps, err := parseSwaps(file)
	return swaps, errors.Join(err, file.Close())
}

// checkSwap requires a disk that is not used for swap. A swap file is on a mounted filesystem, which checkMounts
// checks. A swap device that cannot be found any more may be this disk.
func (g *Guard) checkSwap(_ context.Context, look *hostState, disk *Disk) error {
	for _, s := range look.swaps {
		if !s.Partition {
			continue
		}
		number, err := g.node.Number(g.node.path(s.Path))
		if err != nil {
			return fmt.Errorf("the node swaps to %s, which may be it: %w", s.Path, err)
		}
		if look.tree.restsOn(number, disk.Number) {
			return fmt.Errorf("the node swaps to %s", s.Path)
		}
	}
	return nil
}
