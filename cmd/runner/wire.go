// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"zfsbench.io/operator/internal/kube/sink"
	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/node/monitor"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/runner"
	"zfsbench.io/operator/internal/runner/mounts"
	"zfsbench.io/operator/internal/runner/preflight"
	"zfsbench.io/operator/internal/runner/workspace"
	"zfsbench.io/operator/internal/storage/blockdev"
	"zfsbench.io/operator/internal/storage/hostfs"
	"zfsbench.io/operator/internal/storage/zfs"
	"zfsbench.io/operator/internal/storage/zfs/module"
)

// realDeps are the engine's dependencies on this machine. Records of residue on disks are in the scratch directory.
func realDeps(p plan.Plan, out runner.Sink, series runner.Series, log *slog.Logger) runner.Deps {
	local, host := hostexec.Local(), hostexec.Host()
	var volumes []blockdev.Volume
	for _, v := range p.Volumes {
		volumes = append(volumes, blockdev.Volume(v))
	}
	residues := blockdev.NewResidues(filepath.Join(p.Scratch.Directory, "residues"))
	return runner.Deps{
		Pools:      zfs.New(host),
		Disks:      blockdev.New(local, host, residues, volumes...),
		Files:      func(directory string) runner.Files { return blockdev.NewFiles(directory) },
		Mounts:     mounts.Kernel{},
		Baselines:  hostfs.New(host),
		Node:       monitor.Kernel{},
		Parameters: module.Parameters{},
		Tool:       sandbox.Run,
		Tools:      func(ctx context.Context) []preflight.ToolVersion { return preflight.FindTools(ctx, local, host) },
		Sink:       out,
		Series:     series,
		Filesystem: preflight.StatFilesystem,
		NodeLock:   workspace.NodeLock,
		Now:        time.Now,
		Log:        log,
	}
}

// seriesBytes is what the time series of all benchmarks may take on a node: some hundred workloads of ten minutes on a
// node of 64 cores.
const seriesBytes = 64 << 20

// seriesOnNode keeps the time series of a benchmark below the scratch directory, where they outlive the benchmark.
func seriesOnNode(scratch, uid string) sink.SeriesDirectory {
	shared := filepath.Join(scratch, "series")
	return sink.SeriesDirectory{Path: filepath.Join(shared, uid), Shared: shared, LimitBytes: seriesBytes}
}
