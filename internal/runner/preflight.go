// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/blockdev"
)

// The names of the checks.
const (
	checkOpenZFS    = "OpenZFS"
	checkTools      = "tools"
	checkScratch    = "scratch directory"
	checkProperties = "properties"
	checkSpace      = "space"
	checkTime       = "time"
	checkPool       = "pool"
	checkSizes      = "sizes"

	checkFilesystems = "filesystems"
	checkArrays      = "md arrays"
	checkClaims      = "claims"
)

// checkBeforehand looks at everything a trial will need before any trial begins, and publishes what it finds. It writes
// to no device.
func (e *Engine) checkBeforehand(ctx context.Context, node nodeFound) error {
	found := e.preflight(ctx, node)
	err := e.scanDisks(ctx, &found)
	e.progress.announce(func(p *result.Progress) { p.Preflight = &found })
	if err != nil {
		return err
	}
	if stopped := stopCause(ctx); stopped != nil {
		return stopped
	}
	return preflightError(found)
}

// preflight makes all checks, whatever the first ones find: who has several problems wants to know all of them. Only
// what cannot be answered is skipped.
func (e *Engine) preflight(ctx context.Context, node nodeFound) result.Preflight {
	found := result.Preflight{
		Estimate: e.estimate(),
		Checks:   []result.Check{node.check, e.toolsCheck(ctx)},
	}
	found.Checks = append(found.Checks, e.sandboxChecks(ctx)...)
	found.Checks = append(found.Checks, e.scratchCheck(), e.propertiesCheck(node), e.spaceCheck(), e.timeCheck())
	if e.plan.HasRelativeSizes() {
		found.Checks = append(found.Checks, e.sizesCheck())
	}
	found.Devices = e.deviceReports(ctx)
	if len(plan.ModuleParameters(e.plan.Variants)) > 0 {
		found.Checks = append(found.Checks, e.parametersCheck(ctx, node))
	}
	if slices.ContainsFunc(e.plan.Variants, hasFilesystem) {
		found.Checks = append(found.Checks, e.filesystemsCheck(ctx))
	}
	if slices.ContainsFunc(e.plan.Variants, isOnArray) {
		found.Checks = append(found.Checks, e.arraysCheck(ctx))
	}
	if e.plan.Claims() {
		found.Checks = append(found.Checks, e.claimsCheck())
	}
	switch {
	case len(pools(e.plan)) == 0:
	case node.check.Outcome == result.OutcomeFailed:
		found.Checks = append(found.Checks, check(checkPool, result.OutcomeSkipped, "OpenZFS cannot be asked."))
	case len(found.Refused()) > 0:
		found.Checks = append(found.Checks, check(checkPool, result.OutcomeSkipped,
			"OpenZFS is asked once all devices are usable."))
	default:
		found.Checks = append(found.Checks, e.poolCheck(ctx))
	}
	found.Passed = len(found.Refused()) == 0 && len(found.ChecksThat(result.OutcomeFailed)) == 0
	return found
}

func check(name, outcome, format string, args ...any) result.Check {
	return result.Check{Name: name, Outcome: outcome, Message: sentence(fmt.Sprintf(format, args...))}
}

// verdict is a check of several things, which passes with the given text if there are neither problems nor remarks.
func verdict(name string, problems, remarks []string, passed string) result.Check {
	c := result.Check{Name: name, Outcome: result.OutcomePassed, Message: sentence(passed)}
	switch {
	case len(problems) > 0:
		c.Outcome, c.Message = result.OutcomeFailed, strings.Join(append(problems, remarks...), " ")
	case len(remarks) > 0:
		c.Outcome, c.Message = result.OutcomeWarning, strings.Join(remarks, " ")
	}
	return c
}

// shownRefusals is how many refused devices a message describes in full; shownBytes is how much of each.
const (
	shownRefusals = 3
	shownBytes    = 240
)

// preflightError is nil if everything passed. Devices are what most people have to do something about, so they come
// first, unless nothing about devices can be known without OpenZFS.
func preflightError(found result.Preflight) error {
	if found.Passed {
		return nil
	}
	failed, refused := found.ChecksThat(result.OutcomeFailed), found.Refused()
	var problems []string
	for _, c := range failed {
		problems = append(problems, c.Message)
	}
	devices := describeRefused(refused, len(found.Devices))
	reason, sentences := v1alpha1.ReasonDeviceRefused, slices.Concat(devices, problems)
	blind := slices.ContainsFunc(failed, func(c result.Check) bool { return c.Name == checkOpenZFS })
	if blind || len(refused) == 0 {
		reason, sentences = v1alpha1.ReasonPreflightFailed, slices.Concat(problems, devices)
	}
	return &stepError{reason: reason, doing: "pass the preflight", err: errors.New(strings.Join(sentences, " "))}
}

// describeRefused counts the refused devices and describes the first ones in full.
func describeRefused(refused []result.DeviceReport, all int) []string {
	if len(refused) == 0 {
		return nil
	}
	are := "are"
	if len(refused) == 1 {
		are = "is"
	}
	sentences := []string{fmt.Sprintf("%d of %d devices %s refused.", len(refused), all, are)}
	var more []string
	for i, d := range refused {
		if i < shownRefusals {
			sentences = append(sentences, shortened(d.Refusal))
		} else {
			more = append(more, d.Name)
		}
	}
	if len(more) > 0 {
		sentences = append(sentences, shortened(fmt.Sprintf("And %d more: %s.", len(more), strings.Join(more, ", "))))
	}
	return sentences
}

// shortened cuts a sentence that is too long for a message.
func shortened(text string) string {
	if len(text) <= shownBytes {
		return text
	}
	return strings.ToValidUTF8(text[:shownBytes], "") + "…."
}

// deviceReports asks the guard about all disks of the plan; files are always usable.
func (e *Engine) deviceReports(ctx context.Context) []result.DeviceReport {
	verdicts := map[string]blockdev.Verdict{}
	for _, v := range e.disksOf(ctx, e.plan.Devices) {
		verdicts[v.Want.Name] = v
	}
	var reports []result.DeviceReport
	for _, d := range e.plan.Devices {
		v := verdicts[d.Name]
		report := result.DeviceReport{
			Name: d.Name, Path: d.Path, Usable: true, Kernel: v.Disk.Device, Model: v.Disk.Model, Serial: d.Serial,
			SizeBytes: d.SizeBytes + d.FileSizeBytes,
		}
		if v.Refusal != nil {
			refuse(&report, v.Refusal)
		}
		reports = append(reports, report)
	}
	return reports
}

// refuse says in a report why a device is refused.
func refuse(report *result.DeviceReport, why error) {
	report.Usable, report.Refusal = false, sentence(why.Error())
	var refusal *blockdev.Refusal
	if errors.As(why, &refusal) {
		report.Step = string(refusal.Step)
	}
}

// estimatedPools is how many pools an estimate describes: it is part of every report of progress, which has to fit into
// its transport. The check of space looks at all.
const estimatedPools = 32

// estimate is what the plan will take, as far as the plan tells.
func (e *Engine) estimate() *result.Estimate {
	estimate := &result.Estimate{
		Trials:         plan.MostTrials(e.plan),
		LeastSeconds:   int64(plan.LeastDuration(e.plan) / time.Second),
		SlowSeconds:    int64(plan.EstimateDuration(e.plan) / time.Second),
		TimeoutSeconds: e.plan.TimeoutSeconds, ScratchBytes: e.fileBytes(),
	}
	for _, v := range e.plan.Variants[:min(len(e.plan.Variants), estimatedPools)] {
		space := plan.EstimateSpace(e.plan, v)
		kind := ""
		if v.Baseline != nil {
			kind = v.Baseline.Kind()
		}
		estimate.Pools = append(estimate.Pools, result.PoolEstimate{
			Variant: v.Name, Baseline: kind, DeviceBytes: space.DeviceBytes, UsableBytes: space.UsableBytes,
			NeededBytes: space.NeededBytes,
		})
	}
	estimate.MorePools = len(e.plan.Variants) - len(estimate.Pools)
	return estimate
}

// fileBytes is what all file devices take.
func (e *Engine) fileBytes() int64 {
	var size int64
	for _, d := range e.plan.Devices {
		size += d.FileSizeBytes
	}
	return size
}
