// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/storage/zfs/layout"
)

// maxCommentBytes is the limit OpenZFS sets.
const maxCommentBytes = 32

// CreatePool is a pool to create.
type CreatePool struct {
	Name string
	// Comment is readable before an import and says who owns the pool; at most 32 bytes, required.
	Comment string
	// Ashift of all vdevs; nil leaves it to OpenZFS.
	Ashift *int32
	// Layout is the vdev arguments, from Layout.
	Layout []string
	// Properties of the pool and FSProperties of its root dataset, by name.
	Properties, FSProperties map[string]string
	// UserProperties of the root dataset; OwnerProperty is required.
	UserProperties map[string]string
	// DryRun makes OpenZFS check the devices without writing (-n).
	DryRun bool
}

// CreatePool runs `zpool create`. It writes to every device of the layout, unless DryRun; the caller has proved that
// they may be written to.
func (c *Client) CreatePool(ctx context.Context, pool CreatePool) error {
	argv, err := createPoolArgs(pool)
	if err != nil {
		return fmt.Errorf("create pool %s: %w", pool.Name, err)
	}
	if _, err := c.run(ctx, argv...); err != nil {
		return fmt.Errorf("create pool %s: %w", pool.Name, err)
	}
	return nil
}

// AddVdev runs `zpool add`. It writes to every device of the layout; the caller has proved that they may be written to.
// Newer releases require an option to add vdevs with a different ashift, which older ones do not know (OpenZFS pull
// request 15509). So AddVdev tries without it first, then with it.
func (c *Client) AddVdev(ctx context.Context, add layout.Addition) error {
	if err := checkPoolName(add.Pool); err != nil {
		return fmt.Errorf("add to pool %s: %w", add.Pool, err)
	}
	vdev := append([]string{"-o", "ashift=" + strconv.Itoa(int(add.Ashift)), add.Pool}, add.Vdev...)
	_, err := c.run(ctx, append([]string{"zpool", "add"}, vdev...)...)
	if exit := (*hostexec.ExitError)(nil); errors.As(err, &exit) && exit.Err == nil {
		if _, again := c.run(ctx, append([]string{"zpool", "add", "--allow-ashift-mismatch"}, vdev...)...); again == nil {
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("add to pool %s: %w", add.Pool, err)
	}
	return nil
}

// createPoolArgs is the argument vector of CreatePool.
func createPoolArgs(pool CreatePool) ([]string, error) {
	if err := checkPoolName(pool.Name); err != nil {
		return nil, err
	}
	if pool.Comment == "" || len(pool.Comment) > maxCommentBytes {
		return nil, &PropertyError{Name: "comment", Cause: "must have 1 to 32 bytes"}
	}
	if pool.UserProperties[OwnerProperty] == "" {
		return nil, &PropertyError{Name: OwnerProperty, Cause: "is missing"}
	}
	argv := []string{"zpool", "create"}
	if pool.DryRun {
		argv = append(argv, "-n")
	}
	// OpenZFS checks a mountpoint only after it has relabelled the disks, so there is none. A cachefile would make the
	// host import the pool at boot. With failmode=wait a lost disk blocks every writer for ever, and nothing can kill
	// it; with continue, new writes fail with EIO, so fio ends and reports that.
	argv = append(argv, "-m", "none", "-o", "cachefile=none", "-o", "failmode=continue", "-o", "comment="+pool.Comment)
	if pool.Ashift != nil {
		argv = append(argv, "-o", "ashift="+strconv.Itoa(int(*pool.Ashift)))
	}
	pools, err := assignments("-o", pool.Properties, reservedPool()...)
	if err != nil {
		return nil, err
	}
	datasets, err := assignments("-O", pool.FSProperties, reservedDataset()...)
	if err != nil {
		return nil, err
	}
	users, err := assignments("-O", pool.UserProperties)
	if err != nil {
		return nil, err
	}
	argv = append(append(append(argv, pools...), datasets...), users...)
	argv = append(argv, pool.Name)
	return append(argv, pool.Layout...), nil
}
