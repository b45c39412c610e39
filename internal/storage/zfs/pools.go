// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"zfsbench.io/operator/internal/text/lines"
)

// Pool is an imported pool.
type Pool struct {
	Name, GUID string
	// Health is ONLINE, DEGRADED, FAULTED, SUSPENDED ...
	Health string
	// Comment is empty if the pool has none.
	Comment string
}

// Pools returns all imported pools.
func (c *Client) Pools(ctx context.Context) ([]Pool, error) {
	out, err := c.run(ctx, "zpool", "list", "-Hp", "-o", "name,guid,health,comment")
	if err != nil {
		return nil, fmt.Errorf("list pools: %w", err)
	}
	return ParsePools(strings.NewReader(string(out)))
}

// ParsePools reads `zpool list -Hp -o name,guid,health,comment`.
func ParsePools(r io.Reader) ([]Pool, error) {
	var pools []Pool
	for line, err := range lines.All(r) {
		if err != nil {
			return nil, fmt.Errorf("read zpool list: %w", err)
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 4 || fields[0] == "" || !isGUID(fields[1]) {
			return nil, &ParseError{What: "zpool list", Line: line}
		}
		pools = append(pools, Pool{Name: fields[0], GUID: fields[1], Health: fields[2], Comment: dash(fields[3])})
	}
	return pools, nil
}

// isGUID says whether a text has the form of a pool's or vdev's GUID.
func isGUID(text string) bool {
	_, err := strconv.ParseUint(text, 10, 64)
	return err == nil
}

// dash translates the tools' "-" for "no value" into an empty string.
func dash(value string) string {
	if value == "-" {
		return ""
	}
	return value
}

// findPool returns the imported pool with a name, or *NoPoolError.
func (c *Client) findPool(ctx context.Context, name string) (Pool, error) {
	if err := checkPoolName(name); err != nil {
		return Pool{}, err
	}
	pools, err := c.Pools(ctx)
	if err != nil {
		return Pool{}, err
	}
	for _, pool := range pools {
		if pool.Name == name {
			return pool, nil
		}
	}
	return Pool{}, &NoPoolError{Pool: name}
}
