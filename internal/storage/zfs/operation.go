// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Operation is a command on a whole pool. It returns when the pool has finished it. Only the functions below create
// operations.
type Operation struct {
	pool, doing string
	argv        []string
	err         error
}

// Argv is the command.
func (o Operation) Argv() []string { return o.argv }

// Scrub reads and checks a whole pool, and waits until that is done.
func Scrub(pool string) Operation {
	return Operation{pool: pool, doing: "scrub pool " + pool, argv: []string{"zpool", "scrub", "-w", pool}}
}

// Trim discards the free space on a pool's disks and waits until all are done. At least one disk must support it.
func Trim(pool string) Operation {
	return Operation{pool: pool, doing: "trim pool " + pool, argv: []string{"zpool", "trim", "-w", pool}}
}

// Offline takes a device of a pool out of use. It stays offline when the pool is imported again.
func Offline(pool, device string) Operation {
	return Operation{pool: pool, doing: "take a device of pool " + pool + " offline",
		argv: []string{"zpool", "offline", pool, device}, err: checkPaths(device)}
}

// Online brings a device back into use. Data that it missed is then resilvered.
func Online(pool, device string) Operation {
	return Operation{pool: pool, doing: "take a device of pool " + pool + " online",
		argv: []string{"zpool", "online", pool, device}, err: checkPaths(device)}
}

// WaitResilvered waits until no resilver is under way.
func WaitResilvered(pool string) Operation {
	return Operation{pool: pool, doing: "wait until pool " + pool + " is resilvered",
		argv: []string{"zpool", "wait", "-t", "resilver", pool}}
}

// Replace replaces a device of a pool by another one and waits until that is done. It writes to the new device; the
// caller has proved that this is allowed.
func Replace(pool, device, with string) Operation {
	return Operation{pool: pool, doing: "replace a device of pool " + pool,
		argv: []string{"zpool", "replace", "-w", pool, device, with}, err: checkPaths(device, with)}
}

// Snapshot takes a snapshot of a dataset.
func Snapshot(dataset, name string) Operation {
	pool, _, _ := strings.Cut(dataset, "/")
	o := Operation{pool: pool, doing: "take snapshot " + name + " of " + dataset,
		argv: []string{"zfs", "snapshot", dataset + "@" + name}, err: checkDatasetName(dataset)}
	if o.err == nil {
		o.err = checkSnapshotName(name)
	}
	return o
}

func checkSnapshotName(name string) error {
	if !snapshotName().MatchString(name) {
		return &NameError{Name: name, Kind: "snapshot"}
	}
	return nil
}

// snapshotName is what this package accepts after the @.
func snapshotName() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`) }

// checkPaths refuses paths that could be taken for an option, or for a device by another name.
func checkPaths(paths ...string) error {
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			return &NameError{Name: path, Kind: "device"}
		}
	}
	return nil
}

// Operate runs the command of an operation on a pool that is not suspended. The caller has proved that it is the right
// pool.
func (c *Client) Operate(ctx context.Context, o Operation) error {
	if o.err != nil {
		return fmt.Errorf("%s: %w", o.doing, o.err)
	}
	return c.unlessSuspended(ctx, o.doing, o.pool, o.argv...)
}

// Clone makes a clone of a snapshot that is not mounted automatically.
func Clone(dataset, snapshot, clone string) Operation {
	pool, _, _ := strings.Cut(dataset, "/")
	return Operation{
		pool: pool, doing: "clone snapshot " + snapshot + " of " + dataset,
		argv: []string{"zfs", "clone", "-o", "mountpoint=legacy", dataset + "@" + snapshot, clone},
		err:  errors.Join(checkDatasetName(dataset), checkSnapshotName(snapshot), checkDatasetName(clone)),
	}
}

// DestroySnapshots destroys snapshots of a dataset. It fails if anything depends on them.
func DestroySnapshots(dataset string, names ...string) Operation {
	pool, _, _ := strings.Cut(dataset, "/")
	err := checkDatasetName(dataset)
	for _, name := range names {
		if err == nil {
			err = checkSnapshotName(name)
		}
	}
	all := strings.Join(names, ",")
	return Operation{pool: pool, doing: "destroy snapshots " + all + " of " + dataset,
		argv: []string{"zfs", "destroy", dataset + "@" + all}, err: err}
}

// SendChanges sends the changes between two snapshots of a dataset and discards the stream. There must be few changes.
func SendChanges(dataset, since, snapshot string) Operation {
	pool, _, _ := strings.Cut(dataset, "/")
	return Operation{
		pool: pool, doing: "send snapshot " + snapshot + " of " + dataset,
		argv: []string{"zfs", "send", "-i", "@" + since, dataset + "@" + snapshot},
		err:  errors.Join(checkDatasetName(dataset), checkSnapshotName(since), checkSnapshotName(snapshot)),
	}
}

// LimitDataset sets the quota of a dataset, including its children; 0 removes it.
func LimitDataset(dataset string, bytes int64) Operation { return limit(dataset, "quota", bytes) }

// LimitUser sets the quota of a user, by number, in a dataset.
func LimitUser(dataset string, user int, bytes int64) Operation {
	return limit(dataset, "userquota@"+strconv.Itoa(user), bytes)
}

func limit(dataset, property string, bytes int64) Operation {
	pool, _, _ := strings.Cut(dataset, "/")
	value := "none"
	if bytes > 0 {
		value = strconv.FormatInt(bytes, 10)
	}
	return Operation{pool: pool, doing: "set " + property + " of " + dataset,
		argv: []string{"zfs", "set", property + "=" + value, dataset}, err: checkDatasetName(dataset)}
}
