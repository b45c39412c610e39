// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"zfsbench.io/operator/internal/node/hostexec"
)

// Send describes a snapshot to send into another dataset of the same pool.
type Send struct {
	Dataset, Snapshot string
	// Since is a snapshot that Into has received before: only the changes since then are sent. If it is empty,
	// everything is sent, into a dataset that does not exist yet.
	Since string
	Into  string
	// Properties are the properties of a new received dataset, by name.
	Properties map[string]string
}

// received are the properties that decide how a dataset stores what it receives. Other properties are in the stream, or
// make no difference to it.
var received = []string{"checksum", "compression", "copies", "dedup", "redundant_metadata", "special_small_blocks"}

// SendArgv is the command that sends.
func (s Send) SendArgv() []string {
	argv := []string{"zfs", "send"}
	if s.Since != "" {
		argv = append(argv, "-i", "@"+s.Since)
	}
	return append(argv, s.Dataset+"@"+s.Snapshot)
}

// ReceiveArgv is the command that receives. The received dataset is not mounted, and receiving never rolls back.
func (s Send) ReceiveArgv() []string {
	argv := []string{"zfs", "receive", "-u"}
	if s.Since == "" {
		argv = append(argv, "-o", "mountpoint=legacy")
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			if slices.Contains(received, name) {
				argv = append(argv, "-o", name+"="+s.Properties[name])
			}
		}
	}
	return append(argv, s.Into)
}

func (s Send) check() error {
	err := errors.Join(checkDatasetName(s.Dataset), checkDatasetName(s.Into), checkSnapshotName(s.Snapshot))
	if s.Since != "" {
		err = errors.Join(err, checkSnapshotName(s.Since))
	}
	_, bad := assignments("-o", s.Properties, reservedDataset()...)
	return errors.Join(err, bad)
}

// SendReceive sends a snapshot, and returns the size of the stream in bytes.
func (c *Client) SendReceive(ctx context.Context, s Send) (int64, error) {
	pool, _, _ := strings.Cut(s.Dataset, "/")
	err := s.check()
	if err == nil {
		err = c.CheckState(pool)
	}
	var bytes int64
	if err == nil {
		bytes, err = hostexec.Pipe(ctx, c.runner, hostexec.Cmd{Args: s.SendArgv()}, hostexec.Cmd{Args: s.ReceiveArgv()})
	}
	if err != nil {
		return bytes, fmt.Errorf("send snapshot %s of %s into %s: %w", s.Snapshot, s.Dataset, s.Into, err)
	}
	return bytes, nil
}
