// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/zfs"
	"zfsbench.io/operator/internal/text/human"
	"zfsbench.io/operator/internal/tools"
)

// scratchMargin is what has to stay free on the scratch directory's filesystem beside the file devices, for journal and
// reports.
const scratchMargin = 64 << 20

// nodeFound is what the numbers of the node depend on, and whether OpenZFS can be used there.
type nodeFound struct {
	// module is the version of the kernel module; zero if it is not known.
	module plan.OpenZFS
	// maxRecordBytes is the module's zfs_max_recordsize, 0 if it is not known.
	maxRecordBytes int64
	// memory is what relative sizes are of; nil if it is not known.
	memory *plan.Memory
	check  result.Check
}

// findNode finds OpenZFS and the node's facts, and puts them into the progress.
func (e *Engine) findNode(ctx context.Context) nodeFound {
	userland, module, err := e.Pools.Versions(ctx)
	if errors.Is(err, zfs.ErrModuleNotLoaded) {
		return nodeFound{check: check(checkOpenZFS, result.OutcomeFailed,
			"OpenZFS cannot be used: the userland is %s, but %v; modprobe zfs loads it", userland, err)}
	}
	if err != nil {
		return nodeFound{check: check(checkOpenZFS, result.OutcomeFailed, "OpenZFS was not found on the node: %v", err)}
	}
	facts, err := e.Node.Facts()
	if err != nil {
		return nodeFound{check: check(checkOpenZFS, result.OutcomeFailed, "the node's facts cannot be read: %v", err)}
	}
	facts.OpenZFSUserland, facts.OpenZFSModule = userland, module
	e.userland = userland
	e.progress.update(func(p *result.Progress) { p.Node = &facts })
	return judgeOpenZFS(facts)
}

// judgeOpenZFS holds userland and module against each other.
func judgeOpenZFS(facts result.NodeFacts) nodeFound {
	userland, err := plan.ParseOpenZFS(facts.OpenZFSUserland)
	module, err2 := plan.ParseOpenZFS(facts.OpenZFSModule)
	// A value that is no number is not known.
	maxRecord, _ := strconv.ParseInt(facts.ModuleParameters["zfs.zfs_max_recordsize"], 10, 64)
	found := nodeFound{module: module, maxRecordBytes: maxRecord,
		memory: plan.MemoryOf(facts.MemoryBytes, facts.ARCMaxBytes)}
	switch err := errors.Join(err, err2); {
	case err != nil:
		found.check = check(checkOpenZFS, result.OutcomeWarning,
			"nobody can say whether userland and module belong together: %v", err)
	case !userland.SameRelease(module):
		found.check = check(checkOpenZFS, result.OutcomeFailed,
			"OpenZFS's userland is %s, the loaded module %s: they must be of one release; a reboot loads the module that "+
				"is installed",
			facts.OpenZFSUserland, facts.OpenZFSModule)
	default:
		found.check = check(checkOpenZFS, result.OutcomePassed, "userland %s, module %s, kernel %s", facts.OpenZFSUserland,
			facts.OpenZFSModule, facts.Kernel)
	}
	return found
}

// toolsCheck wants every program that the runner runs.
func (e *Engine) toolsCheck(ctx context.Context) result.Check {
	var problems, found []string
	for _, tool := range e.Tools(ctx) {
		switch {
		case tool.Err == nil:
			found = append(found, tool.Name+" "+tool.Version)
		case tool.OnNode:
			problems = append(problems, sentence(fmt.Sprintf("the node has no %s: %v", tool.Name, tool.Err)))
		default:
			problems = append(problems, sentence(fmt.Sprintf("the runner has no %s: %v", tool.Name, tool.Err)))
		}
	}
	return verdict(checkTools, problems, nil, "found "+strings.Join(found, ", "))
}

// sandboxChecks run each tool of the plan once for its version: namespaces, libraries and the tool itself are then
// known to work.
func (e *Engine) sandboxChecks(ctx context.Context) []result.Check {
	var checks []result.Check
	for _, w := range e.plan.Workloads {
		if w.Pool != nil {
			continue // zpool is looked for with the other tools
		}
		program, err := toolOf(w)
		if err != nil {
			checks = append(checks, check(w.Name, result.OutcomeFailed, "workload %s cannot be run: %v", w.Name, err))
			continue
		}
		if program.Probe().Source == (tools.Source{}) && slices.ContainsFunc(checks,
			func(c result.Check) bool { return c.Name == program.Name() }) {
			continue
		}
		if version, err := e.trySandbox(ctx, program); err != nil {
			checks = append(checks, check(program.Name(), result.OutcomeFailed, "the sandbox does not run %s: %v",
				program.Name(), err))
		} else {
			checks = append(checks, check(program.Name(), result.OutcomePassed, "the sandbox runs %s", version))
		}
	}
	return checks
}

func (e *Engine) trySandbox(ctx context.Context, program tools.Program) (version string, err error) {
	probe := program.Probe()
	image, errImage := e.imageRoot(ctx, probe.Image)
	_, errSource := e.sourceRoot(ctx, probe.Source)
	if err := errors.Join(errImage, errSource); err != nil {
		return "", err
	}
	var out, stderr headWriter
	ended, err := e.Tool(ctx, sandbox.Command{
		Argv: probe.Argv, Self: probe.Self, Image: image, Target: e.ws.Target(), Root: e.ws.Sandbox(), UID: sandbox.User,
		GID: sandbox.User, Stdout: &out, Stderr: &stderr,
	})
	if err != nil && probe.Hint != "" {
		return "", fmt.Errorf("%w: %s", err, probe.Hint)
	}
	if err != nil {
		return "", err
	}
	if bad := endedBadly(program.Name(), ended); bad != nil && !probe.Fails {
		return "", fmt.Errorf("%w: %s", bad, tailOf(stderr.String()))
	}
	if version = probe.Version(out.String(), stderr.String()); version == "" {
		return "", fmt.Errorf("%s says %.100q in place of its version", program.Name(), out.String()+stderr.String())
	}
	return version, nil
}

// scratchCheck says what is wrong with the scratch directory's filesystem for this plan.
func (e *Engine) scratchCheck() result.Check {
	f, err := e.Filesystem(e.ws.Root())
	if err != nil {
		return check(checkScratch, result.OutcomeFailed, "%v", err)
	}
	var problems []string
	if !f.keepsFiles() {
		problems = append(problems, fmt.Sprintf(
			"The scratch directory %s is on %s, which does not survive a reboot; it must be on a disk's filesystem.",
			e.ws.Scratch, f.Kind))
	}
	if f.FreeBytes < scratchMargin {
		problems = append(problems, fmt.Sprintf("The scratch directory %s has %d bytes free; the journal needs %d.",
			e.ws.Scratch, f.FreeBytes, scratchMargin))
	}
	size := e.fileBytes()
	if size > e.plan.Scratch.LimitBytes {
		problems = append(problems, fmt.Sprintf("The file devices take %d bytes; the limit for %s is %d.", size, e.ws.Scratch,
			e.plan.Scratch.LimitBytes))
	}
	if size > 0 {
		if err := e.files().CheckSpace(size); err != nil {
			problems = append(problems, sentence(fmt.Sprintf("there is no place for the file devices: %v", err)))
		}
	}
	passed := fmt.Sprintf("%s is on %s with %s free", e.ws.Scratch, f.Kind, human.Bytes(float64(f.FreeBytes)))
	if size > 0 {
		passed += fmt.Sprintf("; the file devices take %s", human.Bytes(float64(size)))
	}
	return verdict(checkScratch, problems, nil, passed)
}
