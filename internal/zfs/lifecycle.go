// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"context"
	"errors"
	"fmt"
)

// Sync waits until everything written to a pool has reached its devices.
func (c *Client) Sync(ctx context.Context, pool string) error {
	if err := c.CheckState(pool); err != nil {
		return fmt.Errorf("sync pool %s: %w", pool, err)
	}
	if _, err := c.run(ctx, "zpool", "sync", pool); err != nil {
		return fmt.Errorf("sync pool %s: %w", pool, err)
	}
	return nil
}

// Export exports the pool that has both this name and this GUID. A pool that is not imported is no error.
func (c *Client) Export(ctx context.Context, name, guid string) error {
	return c.take(ctx, "export", name, guid)
}

// Destroy destroys the pool that has both this name and this GUID, and all its data. A pool that is not imported is no error; *WrongPoolError is another
// pool of that name. The caller has proved that the pool is its own.
func (c *Client) Destroy(ctx context.Context, name, guid string) error {
	return c.take(ctx, "destroy", name, guid)
}

// take runs export or destroy. OpenZFS takes names only, so the GUID is checked immediately before.
func (c *Client) take(ctx context.Context, verb, name, guid string) error {
	pool, err := c.findPool(ctx, name)
	if noPool := (*NoPoolError)(nil); errors.As(err, &noPool) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s pool %s: %w", verb, name, err)
	}
	if pool.GUID != guid {
		return fmt.Errorf("%s pool %s: %w", verb, name, &WrongPoolError{Name: name, GUID: guid, GotName: pool.Name, GotGUID: pool.GUID})
	}
	if pool.Health == suspended {
		return fmt.Errorf("%s pool %s: %w", verb, name, &SuspendedError{Pool: name})
	}
	if err := c.CheckState(name); err != nil {
		return fmt.Errorf("%s pool %s: %w", verb, name, err)
	}
	if _, err := c.run(ctx, "zpool", verb, name); err != nil {
		return fmt.Errorf("%s pool %s: %w", verb, name, err)
	}
	return nil
}

// Import imports the pool with this GUID, which must have this name, from devices or directories, without mounting anything and without entering it in a
// cache file. It fails with *NotImportableError or *WrongPoolError before anything is changed.
func (c *Client) Import(ctx context.Context, guid, name string, dirs []string) error {
	if len(dirs) == 0 {
		return fmt.Errorf("import pool %s: %w", name, errors.New("no devices to search"))
	}
	pools, err := c.Importable(ctx, ImportScan{Dirs: dirs})
	if err != nil {
		return fmt.Errorf("import pool %s: %w", name, err)
	}
	if err := choose(pools, guid, name); err != nil {
		return fmt.Errorf("import pool %s: %w", name, err)
	}
	argv := []string{"zpool", "import", "-N", "-o", "cachefile=none"}
	for _, dir := range dirs {
		argv = append(argv, "-d", dir)
	}
	if _, err := c.run(ctx, append(argv, guid)...); err != nil {
		return fmt.Errorf("import pool %s: %w", name, err)
	}
	return nil
}

// choose says whether the pool with the GUID is there and has the name.
func choose(pools []ImportablePool, guid, name string) error {
	for _, pool := range pools {
		if pool.GUID != guid {
			continue
		}
		if pool.Name != name {
			return &WrongPoolError{Name: name, GUID: guid, GotName: pool.Name, GotGUID: pool.GUID}
		}
		return nil
	}
	return &NotImportableError{Name: name, GUID: guid}
}
