// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"context"
	"errors"
	"fmt"
)

// Sync waits until everything written to a pool has reached its devices.
func (c *Client) Sync(ctx context.Context, pool string) error {
	return c.unlessSuspended(ctx, "sync pool "+pool, pool, "zpool", "sync", pool)
}

// WaitFreed waits until the space of destroyed data in a pool is free.
func (c *Client) WaitFreed(ctx context.Context, pool string) error {
	doing := "wait until pool " + pool + " has freed its space"
	return c.unlessSuspended(ctx, doing, pool, "zpool", "wait", "-t", "free", pool)
}

// Trim runs a manual TRIM of a pool and waits for it.
func (c *Client) Trim(ctx context.Context, pool string) error { return c.Operate(ctx, Trim(pool)) }

// unlessSuspended runs a command that would wait for ever on a suspended pool. doing is for the error.
func (c *Client) unlessSuspended(ctx context.Context, doing, pool string, args ...string) error {
	err := c.CheckState(pool)
	if err == nil {
		_, err = c.run(ctx, args...)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// Export exports the pool that has both this name and this GUID. It succeeds if no pool of that name is imported. If
// another pool has the name, the error is a *WrongPoolError. OpenZFS takes only a name, so the GUID is checked
// immediately before.
func (c *Client) Export(ctx context.Context, name, guid string) error {
	pool, err := c.findPool(ctx, name)
	if noPool := (*NoPoolError)(nil); errors.As(err, &noPool) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("export pool %s: %w", name, err)
	}
	if pool.GUID != guid {
		return fmt.Errorf("export pool %s: %w",
			name, &WrongPoolError{Name: name, GUID: guid, GotName: pool.Name, GotGUID: pool.GUID})
	}
	if pool.Health == suspended {
		return fmt.Errorf("export pool %s: %w", name, &SuspendedError{Pool: name})
	}
	if err := c.CheckState(name); err != nil {
		return fmt.Errorf("export pool %s: %w", name, err)
	}
	if _, err := c.run(ctx, "zpool", "export", name); err != nil {
		return fmt.Errorf("export pool %s: %w", name, err)
	}
	return nil
}

// Import says how to import the pool with a GUID.
type Import struct {
	GUID, Name string
	// Dirs are the devices or directories to search, at least one.
	Dirs []string
	// ReadOnly prevents all changes in the pool while it is imported.
	ReadOnly bool
	// Mount mounts the filesystems that have a mountpoint.
	Mount bool
}

// Import imports the pool with the GUID, which must have the name, without adding it to a cache file. It fails with
// *NotImportableError or *WrongPoolError before anything is changed.
func (c *Client) Import(ctx context.Context, how Import) error {
	if len(how.Dirs) == 0 {
		return fmt.Errorf("import pool %s: %w", how.Name, errors.New("no devices to search"))
	}
	pools, err := c.Importable(ctx, ImportScan{Dirs: how.Dirs})
	if err != nil {
		return fmt.Errorf("import pool %s: %w", how.Name, err)
	}
	if err := choose(pools, how.GUID, how.Name); err != nil {
		return fmt.Errorf("import pool %s: %w", how.Name, err)
	}
	if _, err := c.run(ctx, how.argv()...); err != nil {
		return fmt.Errorf("import pool %s: %w", how.Name, err)
	}
	return nil
}

func (i Import) argv() []string {
	argv := []string{"zpool", "import", "-o", "cachefile=none"}
	if !i.Mount {
		argv = append(argv, "-N")
	}
	if i.ReadOnly {
		argv = append(argv, "-o", "readonly=on")
	}
	for _, dir := range i.Dirs {
		argv = append(argv, "-d", dir)
	}
	return append(argv, i.GUID)
}

// choose requires that the pool with the GUID is in the list and has the name.
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
