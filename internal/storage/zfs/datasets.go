// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"context"
	"fmt"
	"io"
	"strings"

	"zfsbench.io/operator/internal/text/lines"
)

// Datasets returns the names of everything in a pool: filesystems, volumes, snapshots and bookmarks, the root dataset
// first.
func (c *Client) Datasets(ctx context.Context, pool string) ([]string, error) {
	if err := checkPoolName(pool); err != nil {
		return nil, err
	}
	out, err := c.run(ctx, "zfs", "list", "-Hp", "-r", "-t", "all", "-o", "name", pool)
	if err != nil {
		return nil, fmt.Errorf("list datasets of pool %s: %w", pool, err)
	}
	return ParseDatasets(strings.NewReader(string(out)))
}

// ParseDatasets reads `zfs list -Hp -o name`.
func ParseDatasets(r io.Reader) ([]string, error) {
	var names []string
	for line, err := range lines.All(r) {
		if err != nil {
			return nil, fmt.Errorf("read zfs list: %w", err)
		}
		if line == "" || strings.Contains(line, "\t") {
			return nil, &ParseError{What: "zfs list", Line: line}
		}
		names = append(names, line)
	}
	return names, nil
}

// CreateFilesystem creates a filesystem that is never mounted automatically (mountpoint=legacy).
func (c *Client) CreateFilesystem(ctx context.Context, name string, properties map[string]string) error {
	if err := checkDatasetName(name); err != nil {
		return err
	}
	assigned, err := assignments("-o", properties, reservedDataset()...)
	if err != nil {
		return fmt.Errorf("create filesystem %s: %w", name, err)
	}
	argv := append([]string{"zfs", "create", "-o", "mountpoint=legacy"}, assigned...)
	if _, err := c.run(ctx, append(argv, name)...); err != nil {
		return fmt.Errorf("create filesystem %s: %w", name, err)
	}
	return nil
}

// DestroyDataset destroys a filesystem or volume below a pool's root dataset. It fails if the dataset contains anything
// else, or is in use.
func (c *Client) DestroyDataset(ctx context.Context, name string) error {
	if err := checkDatasetName(name); err != nil {
		return err
	}
	if !strings.Contains(name, "/") {
		return &NameError{Name: name, Kind: "dataset below a pool's root"}
	}
	if _, err := c.run(ctx, "zfs", "destroy", name); err != nil {
		return fmt.Errorf("destroy dataset %s: %w", name, err)
	}
	return nil
}
