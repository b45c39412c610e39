// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"context"
	"fmt"
	"io"
	"strings"

	"zfsbench.io/operator/internal/text/lines"
)

// Get returns properties of a dataset by name, with exact numbers; no names mean all. A property without a value is
// empty.
func (c *Client) Get(ctx context.Context, dataset string, properties ...string) (map[string]string, error) {
	if err := checkDatasetName(dataset); err != nil {
		return nil, err
	}
	out, err := c.run(ctx, "zfs", "get", "-Hp", "-o", "property,value", wanted(properties), dataset)
	if err != nil {
		return nil, fmt.Errorf("properties of dataset %s: %w", dataset, err)
	}
	return ParseProperties(strings.NewReader(string(out)))
}

// GetPool returns properties of a pool by name, with exact numbers; no names mean all. A property without a value is
// empty.
func (c *Client) GetPool(ctx context.Context, pool string, properties ...string) (map[string]string, error) {
	if err := checkPoolName(pool); err != nil {
		return nil, err
	}
	out, err := c.run(ctx, "zpool", "get", "-Hp", "-o", "property,value", wanted(properties), pool)
	if err != nil {
		return nil, fmt.Errorf("properties of pool %s: %w", pool, err)
	}
	return ParseProperties(strings.NewReader(string(out)))
}

func wanted(properties []string) string {
	if len(properties) == 0 {
		return "all"
	}
	return strings.Join(properties, ",")
}

// ParseProperties reads `zfs get` and `zpool get` with `-Hp -o property,value`.
func ParseProperties(r io.Reader) (map[string]string, error) {
	properties := map[string]string{}
	for line, err := range lines.All(r) {
		if err != nil {
			return nil, fmt.Errorf("read properties: %w", err)
		}
		name, value, found := strings.Cut(line, "\t")
		if _, twice := properties[name]; !found || name == "" || twice {
			return nil, &ParseError{What: "properties", Line: line}
		}
		properties[name] = dash(value)
	}
	return properties, nil
}
