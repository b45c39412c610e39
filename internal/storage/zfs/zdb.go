// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/result"
)

// zdb reads a pool's devices directly, without the module and read-only, as no other command can. If the pool changes
// meanwhile, the output may be wrong, so the pool has to be synced and idle.

// SimulatedDedup returns how much deduplication would save for everything in a pool. dirs are directories or devices,
// as absolute paths, where zdb finds the pool's devices; without them it does not find a pool that is in no cache file.
// zdb keeps an entry in memory for each distinct block.
func (c *Client) SimulatedDedup(ctx context.Context, pool string, dirs []string) (result.SimulatedDedup, error) {
	const doing = "simulate the deduplication of pool %s: %w"
	argv, err := zdbArgv(pool, dirs, "-S")
	if err == nil {
		err = c.CheckState(pool)
	}
	if err != nil {
		return result.SimulatedDedup{}, fmt.Errorf(doing, pool, err)
	}
	out, err := c.run(ctx, argv...)
	if err != nil {
		return result.SimulatedDedup{}, fmt.Errorf(doing, pool, err)
	}
	factors, err := ParseSimulatedDedup(strings.NewReader(string(out)))
	if err != nil {
		return result.SimulatedDedup{}, fmt.Errorf(doing, pool, err)
	}
	return factors, nil
}

// Allocation says how the files of a filesystem, or the data of a volume, are placed on the vdevs. zdb prints a line
// for each block; the lines are parsed as they arrive and not kept.
func (c *Client) Allocation(ctx context.Context, dataset string, dirs []string) (result.Allocation, error) {
	pool, _, _ := strings.Cut(dataset, "/")
	argv, err := zdbArgv(dataset, dirs, "-ddddd")
	if err == nil {
		err = c.CheckState(pool)
	}
	if err != nil {
		return result.Allocation{}, fmt.Errorf("blocks of dataset %s: %w", dataset, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	read, write := io.Pipe()
	ran := make(chan error, 1)
	go func() {
		_, err := c.runner.Run(ctx, hostexec.Cmd{Args: argv, Stdout: write})
		ran <- errors.Join(err, write.Close())
	}()
	found, err := ParseAllocation(read)
	if err != nil {
		cancel() // nobody reads the rest
	}
	// Output after an error is discarded.
	_ = read.CloseWithError(io.ErrClosedPipe)
	if errRun := <-ran; errRun != nil && err == nil {
		err = errRun
	}
	if err != nil {
		return result.Allocation{}, fmt.Errorf("blocks of dataset %s: %w", dataset, err)
	}
	return found, nil
}

// zdbArgv is the command that searches dirs for the devices of a pool, and examines the pool or a dataset of it.
func zdbArgv(dataset string, dirs []string, option string) ([]string, error) {
	if err := errors.Join(checkDatasetName(dataset), checkPaths(dirs...)); err != nil {
		return nil, err
	}
	argv := []string{"zdb", "-e"}
	for _, dir := range dirs {
		argv = append(argv, "-p", dir)
	}
	return append(argv, option, dataset), nil
}
