// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/zfs"
	"zfsbench.io/operator/internal/text/human"
	"zfsbench.io/operator/internal/tools"
	"zfsbench.io/operator/internal/tools/registry"
)

// scratchMargin is the space that the journal and reports need on the scratch directory's filesystem, in addition to
// the file devices.
const scratchMargin = 64 << 20

// NodeState is what a plan needs to know about the node, and whether OpenZFS can be used there.
type NodeState struct {
	// module is the version of the kernel module; zero if it is not known.
	module plan.OpenZFS
	// maxRecordBytes is the module's zfs_max_recordsize, 0 if it is not known.
	maxRecordBytes int64
	// Memory is the memory to which relative sizes refer; nil if it is not known.
	Memory *plan.Memory
	Check  result.Check
	// Facts are nil if OpenZFS was not found, or they cannot be read.
	Facts *result.NodeFacts
}

// FindNode finds OpenZFS and the node's facts.
func FindNode(ctx context.Context, openZFS versions, node facts) NodeState {
	userland, module, err := openZFS.Versions(ctx)
	if errors.Is(err, zfs.ErrModuleNotLoaded) {
		return NodeState{Check: check(checkOpenZFS, result.OutcomeFailed,
			"OpenZFS cannot be used: the userland is %s, but %v; modprobe zfs loads it", userland, err)}
	}
	if err != nil {
		return NodeState{Check: check(checkOpenZFS, result.OutcomeFailed, "OpenZFS was not found on the node: %v", err)}
	}
	facts, err := node.Facts()
	if err != nil {
		return NodeState{Check: check(checkOpenZFS, result.OutcomeFailed, "the node's facts cannot be read: %v", err)}
	}
	facts.OpenZFSUserland, facts.OpenZFSModule = userland, module
	found := compareOpenZFS(facts)
	found.Facts = &facts
	return found
}

// compareOpenZFS checks that userland and module are of the same release.
func compareOpenZFS(facts result.NodeFacts) NodeState {
	userland, err := plan.ParseOpenZFS(facts.OpenZFSUserland)
	module, err2 := plan.ParseOpenZFS(facts.OpenZFSModule)
	// A value that is not a number counts as unknown.
	maxRecord, _ := strconv.ParseInt(facts.ModuleParameters["zfs.zfs_max_recordsize"], 10, 64)
	found := NodeState{module: module, maxRecordBytes: maxRecord,
		Memory: plan.MemoryOf(facts.MemoryBytes, facts.ARCMaxBytes)}
	switch err := errors.Join(err, err2); {
	case err != nil:
		found.Check = check(checkOpenZFS, result.OutcomeWarning,
			"it is not known whether OpenZFS's userland and module are of the same release: %v", err)
	case !userland.SameRelease(module):
		found.Check = check(checkOpenZFS, result.OutcomeFailed,
			"OpenZFS's userland is %s, the loaded module %s: they must be of one release; a reboot loads the module that "+
				"is installed",
			facts.OpenZFSUserland, facts.OpenZFSModule)
	default:
		found.Check = check(checkOpenZFS, result.OutcomePassed, "userland %s, module %s, kernel %s", facts.OpenZFSUserland,
			facts.OpenZFSModule, facts.Kernel)
	}
	return found
}

// toolsCheck requires every program that the runner runs.
func (c *Checks) toolsCheck(ctx context.Context) result.Check {
	var problems, found []string
	for _, tool := range c.Tools(ctx) {
		switch {
		case tool.Err == nil:
			found = append(found, tool.Name+" "+tool.Version)
		case tool.OnNode:
			problems = append(problems, human.Sentence(fmt.Sprintf("the node has no %s: %v", tool.Name, tool.Err)))
		default:
			problems = append(problems, human.Sentence(fmt.Sprintf("the runner has no %s: %v", tool.Name, tool.Err)))
		}
	}
	return verdict(checkTools, problems, nil, "found "+strings.Join(found, ", "))
}

// sandboxChecks run each tool of the plan once for its version. That shows that namespaces, libraries and the tool
// itself work.
func (c *Checks) sandboxChecks(ctx context.Context) []result.Check {
	var checks []result.Check
	for _, w := range c.Plan.Workloads {
		if w.Pool != nil {
			continue // toolsCheck looks for zpool
		}
		program := registry.Of(w)
		if program == nil {
			checks = append(checks, check(w.Name, result.OutcomeFailed,
				"workload %s cannot be run: this runner does not know its tool", w.Name))
			continue
		}
		if program.Probe().Source == (tools.Source{}) && slices.ContainsFunc(checks,
			func(c result.Check) bool { return c.Name == program.Name() }) {
			continue
		}
		if version, err := c.Probe(ctx, program); err != nil {
			checks = append(checks, check(program.Name(), result.OutcomeFailed, "the sandbox does not run %s: %v",
				program.Name(), err))
		} else {
			checks = append(checks, check(program.Name(), result.OutcomePassed, "the sandbox runs %s", version))
		}
	}
	return checks
}

// scratchCheck checks the scratch directory's filesystem: it must survive a reboot and have enough space.
func (c *Checks) scratchCheck() result.Check {
	f, err := c.Filesystem(c.Workspace.Root())
	if err != nil {
		return check(checkScratch, result.OutcomeFailed, "%v", err)
	}
	var problems []string
	if !f.keepsFiles() {
		problems = append(problems, fmt.Sprintf(
			"The scratch directory %s is on %s, which does not survive a reboot; it must be on a disk's filesystem.",
			c.Workspace.Scratch, f.Kind))
	}
	if f.FreeBytes < scratchMargin {
		problems = append(problems, fmt.Sprintf("The scratch directory %s has %d bytes free; the journal needs %d.",
			c.Workspace.Scratch, f.FreeBytes, scratchMargin))
	}
	size := c.fileBytes()
	if size > c.Plan.Scratch.LimitBytes {
		problems = append(problems, fmt.Sprintf("The file devices take %d bytes; the limit for %s is %d.", size,
			c.Workspace.Scratch,
			c.Plan.Scratch.LimitBytes))
	}
	if size > 0 {
		if err := c.Files.CheckSpace(size); err != nil {
			problems = append(problems, human.Sentence(fmt.Sprintf("there is no place for the file devices: %v", err)))
		}
	}
	passed := fmt.Sprintf("%s is on %s with %s free", c.Workspace.Scratch, f.Kind, human.Bytes(float64(f.FreeBytes)))
	if size > 0 {
		passed += fmt.Sprintf("; the file devices take %s", human.Bytes(float64(size)))
	}
	return verdict(checkScratch, problems, nil, passed)
}
