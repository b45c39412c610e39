// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/workspace"
	"zfsbench.io/operator/internal/storage/blockdev"
	"zfsbench.io/operator/internal/storage/filesystem"
	"zfsbench.io/operator/internal/storage/mdraid"
	"zfsbench.io/operator/internal/storage/zfs"
	"zfsbench.io/operator/internal/tools"
)

// Checks is what the checks before the first trial need: the plan, and read access to parts of the node.
type Checks struct {
	Plan plan.Plan
	// Expanded is the plan with the sizes on this node.
	Expanded  plan.Expanded
	Workspace workspace.Workspace
	Pools     Pools
	Disks     Disks
	// Files are the file devices of the workspace.
	Files      Files
	Baselines  Baselines
	Parameters Parameters
	// Tools looks for all programs but the workloads' tools; FindTools is the real one.
	Tools func(context.Context) []ToolVersion
	// Filesystem describes the filesystem of a directory; StatFilesystem is the real one.
	Filesystem func(dir string) (Filesystem, error)
	// Probe runs a workload's tool in the sandbox for its version.
	Probe func(ctx context.Context, program tools.Program) (version string, err error)
	// LayOut is how a variant's pool would be created on devices with these paths.
	LayOut func(v plan.Variant, name string, paths map[string]string) (zfs.CreatePool, error)
	// HasClaims says that there is a manager that makes volumes.
	HasClaims bool
	// ArrayTool is the version of mdadm. Run sets it.
	ArrayTool string
}

// Pools is what the checks need from OpenZFS. CreatePool is only called for a dry run.
type Pools interface {
	Pools(ctx context.Context) ([]zfs.Pool, error)
	CreatePool(ctx context.Context, pool zfs.CreatePool) error
}

// Disks is the guard, which decides whether a disk may be used.
type Disks interface {
	CheckAll(ctx context.Context, wants []blockdev.Want) []blockdev.Verdict
}

// Files checks whether there is space for file devices.
type Files interface {
	CheckSpace(sizeBytes int64) error
}

// Baselines finds what other filesystems and md arrays need.
type Baselines interface {
	// Find returns the version of the tool that makes a filesystem, or names what the node lacks for it.
	Find(ctx context.Context, f filesystem.Filesystem) (version string, err error)
	// FindArrays returns the version of mdadm, or names what the node lacks for md arrays of some levels.
	FindArrays(ctx context.Context, levels []mdraid.Level) (version string, err error)
	// ParityDiscards is the value of hostfs.DiscardParameter, Y or N; empty until the module is loaded.
	ParityDiscards() (string, error)
}

// Parameters checks module parameters.
type Parameters interface {
	// Check returns nil if a parameter can be set; it writes nothing.
	Check(name string) error
}

// versions returns the versions of the node's OpenZFS.
type versions interface {
	Versions(ctx context.Context) (userland, module string, err error)
}

// facts reads the node's facts.
type facts interface {
	Facts() (result.NodeFacts, error)
}
