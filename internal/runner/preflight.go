// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/sandbox"
)

// scratchMargin is what has to stay free on the scratch directory's filesystem beside the file devices, for journal and reports.
const scratchMargin = 64 << 20

// checkBeforehand looks at everything a trial will need before any trial begins, and publishes what it finds. It writes to no device.
func (e *Engine) checkBeforehand(ctx context.Context) error {
	found := e.preflight(ctx)
	e.progress.announce(func(p *result.Progress) { p.Preflight = &found })
	if stopped := stopCause(ctx); stopped != nil {
		return stopped
	}
	return preflightError(found)
}

// preflight gathers the findings.
func (e *Engine) preflight(ctx context.Context) result.Preflight {
	found := result.Preflight{Problems: e.scratchProblems()}
	if err := e.trySandbox(ctx); err != nil {
		found.Problems = append(found.Problems, sentence(fmt.Sprintf("fio does not run in its sandbox: %v", err)))
	}
	usable := true
	for _, report := range e.deviceReports(ctx) {
		usable = usable && report.Usable
		found.Devices = append(found.Devices, report)
	}
	if usable && len(found.Problems) == 0 {
		found.Problems = e.layoutProblems(ctx)
	}
	found.Passed = usable && len(found.Problems) == 0
	return found
}

// preflightError is nil if everything passed; a refused device says more than any other problem.
func preflightError(found result.Preflight) error {
	if found.Passed {
		return nil
	}
	var refusals []error
	for _, d := range found.Devices {
		if !d.Usable {
			refusals = append(refusals, errors.New(strings.TrimSuffix(d.Refusal, ".")))
		}
	}
	if len(refusals) > 0 {
		return &stepError{reason: v1alpha1.ReasonDeviceRefused, doing: "use the devices", err: errors.Join(refusals...)}
	}
	return &stepError{reason: v1alpha1.ReasonPreflightFailed, doing: "start", err: errors.New(strings.TrimSuffix(strings.Join(found.Problems, " "), "."))}
}

// deviceReports asks the guard about all disks of the plan; files are always usable.
func (e *Engine) deviceReports(ctx context.Context) []result.DeviceReport {
	refused := map[string]error{}
	for _, verdict := range e.disksOf(ctx, e.plan.Devices) {
		refused[verdict.Want.Name] = verdict.Refusal
	}
	var reports []result.DeviceReport
	for _, d := range e.plan.Devices {
		report := result.DeviceReport{Name: d.Name, Path: d.Path, Serial: d.Serial, SizeBytes: d.SizeBytes + d.FileSizeBytes, Usable: true}
		if err := refused[d.Name]; err != nil {
			report.Usable, report.Refusal = false, sentence(err.Error())
		}
		reports = append(reports, report)
	}
	return reports
}

// scratchProblems says what is wrong with the scratch directory's filesystem for this plan.
func (e *Engine) scratchProblems() []string {
	f, err := e.Filesystem(e.ws.root())
	if err != nil {
		return []string{sentence(err.Error())}
	}
	var problems []string
	if !f.keepsFiles() {
		problems = append(problems, fmt.Sprintf(
			"The scratch directory %s is on %s, which does not survive a reboot; it must be on a disk's filesystem.", e.ws.scratch, f.Kind))
	}
	if f.FreeBytes < scratchMargin {
		problems = append(problems, fmt.Sprintf("The scratch directory %s has %d bytes free; the journal needs %d.", e.ws.scratch, f.FreeBytes, scratchMargin))
	}
	var size int64
	for _, d := range e.plan.Devices {
		size += d.FileSizeBytes
	}
	if size > e.plan.Scratch.LimitBytes {
		problems = append(problems, fmt.Sprintf("The file devices take %d bytes; the limit for %s is %d.", size, e.ws.scratch, e.plan.Scratch.LimitBytes))
	}
	if size > 0 {
		if err := e.files().CheckSpace(size); err != nil {
			problems = append(problems, sentence(fmt.Sprintf("there is no place for the file devices: %v", err)))
		}
	}
	return problems
}

// trySandbox runs the tool once for its version: namespaces, libraries and the tool itself are then known to work.
func (e *Engine) trySandbox(ctx context.Context) error {
	var out, stderr tailWriter
	ended, err := e.Tool(ctx, sandbox.Command{
		Argv: []string{"fio", "--version"}, Target: e.ws.target(), Root: e.ws.sandbox(), UID: sandbox.Nobody, GID: sandbox.Nobody, Stdout: &out, Stderr: &stderr,
	})
	if err != nil {
		return err
	}
	if err := endedBadly(ended); err != nil {
		return fmt.Errorf("%w: %s", err, tailOf(stderr.String()))
	}
	if !strings.HasPrefix(out.String(), "fio-") {
		return fmt.Errorf("fio says %.100q in place of its version", out.String())
	}
	return nil
}

// layoutProblems lets OpenZFS check every variant's pool without writing, on the whole disks and on sparse stand-ins for files.
func (e *Engine) layoutProblems(ctx context.Context) []string {
	paths, remove, err := e.standIns()
	defer remove()
	if err != nil {
		return []string{sentence(err.Error())}
	}
	var problems []string
	for _, v := range e.plan.Variants {
		create, err := e.poolToCreate(v, poolName(e.plan.Benchmark.UID, 0), paths)
		if err == nil {
			create.DryRun = true
			err = e.Pools.CreatePool(ctx, create)
		}
		if err != nil {
			problems = append(problems, sentence(fmt.Sprintf("OpenZFS would not create the pool of variant %s: %v", v.Name, err)))
		}
	}
	return problems
}

// standIns are paths for all devices that the check can look at: the disks themselves, and sparse files of the right size.
func (e *Engine) standIns() (paths map[string]string, remove func(), err error) {
	paths = map[string]string{}
	dir := e.ws.standIns()
	remove = func() { _ = os.RemoveAll(dir) }
	remove() // what a killed runner has left
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, remove, fmt.Errorf("make stand-ins for file devices: %w", err)
	}
	for _, d := range e.plan.Devices {
		if d.Path != "" {
			paths[d.Name] = d.Path
			continue
		}
		path := filepath.Join(dir, d.Name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			return nil, remove, fmt.Errorf("make stand-ins for file devices: %w", err)
		}
		if err := os.Truncate(path, d.FileSizeBytes); err != nil {
			return nil, remove, fmt.Errorf("make stand-ins for file devices: %w", err)
		}
		paths[d.Name] = path
	}
	return paths, remove, nil
}
