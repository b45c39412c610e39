// SPDX-License-Identifier: Apache-2.0

package preflight

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
	"zfsbench.io/operator/internal/text/human"
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
	checkParameters  = "module parameters"
)

// checkDisks lets the guard check the disks; files need no guard.
func (c *Checks) checkDisks(ctx context.Context) []blockdev.Verdict {
	disks := Wants(c.Plan.Devices)
	if len(disks) == 0 {
		return nil
	}
	return c.Disks.CheckAll(ctx, disks)
}

// Run makes all checks, whatever the first ones find, so that the user learns about all problems at once. It skips only
// checks that cannot be made.
func (c *Checks) Run(ctx context.Context, node NodeState) result.Preflight {
	found := result.Preflight{
		Estimate: c.estimate(),
		Checks:   []result.Check{node.Check, c.toolsCheck(ctx)},
	}
	found.Checks = append(found.Checks, c.sandboxChecks(ctx)...)
	found.Checks = append(found.Checks, c.scratchCheck(), c.propertiesCheck(node), c.spaceCheck(), c.timeCheck())
	if c.Plan.HasRelativeSizes() {
		found.Checks = append(found.Checks, c.sizesCheck(node))
	}
	found.Devices = c.deviceReports(ctx)
	if len(plan.ModuleParameters(c.Plan.Variants)) > 0 {
		found.Checks = append(found.Checks, c.parametersCheck(ctx, node))
	}
	if slices.ContainsFunc(c.Plan.Variants, hasFilesystem) {
		found.Checks = append(found.Checks, c.filesystemsCheck(ctx))
	}
	if slices.ContainsFunc(c.Plan.Variants, isOnArray) {
		found.Checks = append(found.Checks, c.arraysCheck(ctx))
	}
	if c.Plan.Claims() {
		found.Checks = append(found.Checks, c.claimsCheck())
	}
	switch {
	case len(pools(c.Plan)) == 0:
	case node.Check.Outcome == result.OutcomeFailed:
		found.Checks = append(found.Checks, check(checkPool, result.OutcomeSkipped,
			"Not checked, because OpenZFS cannot be used."))
	case len(found.Refused()) > 0:
		found.Checks = append(found.Checks, check(checkPool, result.OutcomeSkipped,
			"Not checked, because not all devices are usable."))
	default:
		found.Checks = append(found.Checks, c.poolCheck(ctx))
	}
	found.Passed = len(found.Refused()) == 0 && len(found.ChecksThat(result.OutcomeFailed)) == 0
	return found
}

func check(name, outcome, format string, args ...any) result.Check {
	return result.Check{Name: name, Outcome: outcome, Message: human.Sentence(fmt.Sprintf(format, args...))}
}

// verdict is a check of several things, which passes with the given text if there are neither problems nor remarks.
func verdict(name string, problems, remarks []string, passed string) result.Check {
	c := result.Check{Name: name, Outcome: result.OutcomePassed, Message: human.Sentence(passed)}
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

// Refusal is nil if everything passed, and otherwise says why the benchmark ends. Devices come first, because most
// users have to act on them, unless OpenZFS has failed: without it, devices cannot be judged.
func Refusal(found result.Preflight) (reason string, err error) {
	if found.Passed {
		return "", nil
	}
	failed, refused := found.ChecksThat(result.OutcomeFailed), found.Refused()
	var problems []string
	for _, c := range failed {
		problems = append(problems, c.Message)
	}
	devices := describeRefused(refused, len(found.Devices))
	reason, sentences := v1alpha1.ReasonDeviceRefused, slices.Concat(devices, problems)
	noOpenZFS := slices.ContainsFunc(failed, func(c result.Check) bool { return c.Name == checkOpenZFS })
	if noOpenZFS || len(refused) == 0 {
		reason, sentences = v1alpha1.ReasonPreflightFailed, slices.Concat(problems, devices)
	}
	return reason, errors.New(strings.Join(sentences, " "))
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

// deviceReports reports what the guard says about all disks of the plan; files are always usable.
func (c *Checks) deviceReports(ctx context.Context) []result.DeviceReport {
	verdicts := map[string]blockdev.Verdict{}
	for _, v := range c.checkDisks(ctx) {
		verdicts[v.Want.Name] = v
	}
	var reports []result.DeviceReport
	for _, d := range c.Plan.Devices {
		v := verdicts[d.Name]
		report := result.DeviceReport{
			Name: d.Name, Path: d.Path, Usable: true, Kernel: v.Disk.Device, Model: v.Disk.Model,
			Firmware: v.Disk.Firmware, Serial: d.Serial, SizeBytes: d.SizeBytes + d.FileSizeBytes,
		}
		if v.Refusal != nil {
			MarkRefused(&report, v.Refusal)
		}
		reports = append(reports, report)
	}
	return reports
}

// MarkRefused says in a report why a device is refused.
func MarkRefused(report *result.DeviceReport, why error) {
	report.Usable, report.Refusal = false, human.Sentence(why.Error())
	var refusal *blockdev.Refusal
	if errors.As(why, &refusal) {
		report.Step = string(refusal.Step)
	}
}

// estimatedPools is how many pools an estimate describes: it is part of every progress report, whose size is limited.
// spaceCheck checks all pools.
const estimatedPools = 32

// estimate is the time and space that the plan will take, as far as that is known in advance.
func (c *Checks) estimate() *result.Estimate {
	estimate := &result.Estimate{
		Trials:         plan.MostTrials(c.Plan),
		LeastSeconds:   int64(plan.LeastDuration(c.Plan) / time.Second),
		SlowSeconds:    int64(plan.EstimateDuration(c.Expanded) / time.Second),
		TimeoutSeconds: c.Plan.TimeoutSeconds, ScratchBytes: c.fileBytes(),
	}
	for _, v := range c.Plan.Variants[:min(len(c.Plan.Variants), estimatedPools)] {
		space := plan.EstimateSpace(c.Expanded, v)
		kind := ""
		if v.Baseline != nil {
			kind = v.Baseline.Kind()
		}
		estimate.Pools = append(estimate.Pools, result.PoolEstimate{
			Variant: v.Name, Baseline: kind, DeviceBytes: space.DeviceBytes, UsableBytes: space.UsableBytes,
			NeededBytes: space.NeededBytes,
		})
	}
	estimate.MorePools = len(c.Plan.Variants) - len(estimate.Pools)
	return estimate
}

// fileBytes is the size of all file devices together.
func (c *Checks) fileBytes() int64 {
	var size int64
	for _, d := range c.Plan.Devices {
		size += d.FileSizeBytes
	}
	return size
}

// appendNew appends a string that is not there yet.
func appendNew(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}
