// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"context"
	"fmt"
	"io"
	"strings"

	"zfsbench.io/operator/internal/text/lines"
)

// VdevPaths returns the paths of a pool's devices as they were given to `zpool create`, cache and spare devices
// included.
func (c *Client) VdevPaths(ctx context.Context, pool string) ([]string, error) {
	if err := checkPoolName(pool); err != nil {
		return nil, err
	}
	out, err := c.run(ctx, "zpool", "list", "-vHP", pool)
	if err != nil {
		return nil, fmt.Errorf("list devices of pool %s: %w", pool, err)
	}
	return ParseVdevPaths(strings.NewReader(string(out)))
}

// ParseVdevPaths reads `zpool list -vHP`: a line for the pool, then one for each vdev, which begins with a tab. The
// name of a device is its path.
func ParseVdevPaths(r io.Reader) ([]string, error) {
	var paths []string
	for line, err := range lines.All(r) {
		if err != nil {
			return nil, fmt.Errorf("read zpool list: %w", err)
		}
		name, found := strings.CutPrefix(line, "\t/")
		if !found {
			continue
		}
		name, _, _ = strings.Cut(name, "\t")
		paths = append(paths, "/"+name)
	}
	return paths, nil
}

// DevicesInUse returns every absolute path that `zpool status` prints for any imported pool, with links resolved. For a
// missing device that is its last known path. If in doubt, it returns too many paths rather than too few.
func (c *Client) DevicesInUse(ctx context.Context) ([]string, error) {
	out, err := c.run(ctx, "zpool", "status", "-P", "-L")
	if err != nil {
		return nil, fmt.Errorf("list devices of all pools: %w", err)
	}
	return ParseDevices(strings.NewReader(string(out)))
}

// ParseDevices returns the words that are absolute paths.
func ParseDevices(r io.Reader) ([]string, error) {
	var paths []string
	for line, err := range lines.All(r) {
		if err != nil {
			return nil, fmt.Errorf("read zpool status: %w", err)
		}
		paths = append(paths, absolutePaths(line)...)
	}
	return paths, nil
}
