// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"slices"
)

// The outcomes of a check. A warning stops nothing.
const (
	OutcomePassed  = "Passed"
	OutcomeWarning = "Warning"
	OutcomeFailed  = "Failed"
	// OutcomeSkipped is a check that could not be made because another one failed.
	OutcomeSkipped = "Skipped"
)

var outcomes = []string{OutcomePassed, OutcomeWarning, OutcomeFailed, OutcomeSkipped}

// Preflight is what the checks before the first write found. All checks are made, even if the first ones fail.
type Preflight struct {
	// Passed says that every device is usable and no check failed.
	Passed  bool           `json:"passed"`
	Devices []DeviceReport `json:"devices,omitempty"`
	// Checks are about anything but one device, in the order in which they were made.
	Checks   []Check   `json:"checks,omitempty"`
	Estimate *Estimate `json:"estimate,omitempty"`
}

// Refused are the devices that cannot be used.
func (p Preflight) Refused() []DeviceReport {
	return slices.DeleteFunc(slices.Clone(p.Devices), func(d DeviceReport) bool { return d.Usable })
}

// ChecksThat are the checks with an outcome.
func (p Preflight) ChecksThat(outcome string) []Check {
	return slices.DeleteFunc(slices.Clone(p.Checks), func(c Check) bool { return c.Outcome != outcome })
}

// Check is the outcome of one check.
type Check struct {
	// Name is what was checked, for example "tools".
	Name string `json:"name"`
	// Outcome is Passed, Warning, Failed or Skipped.
	Outcome string `json:"outcome"`
	// Message says in sentences what was found.
	Message string `json:"message" bound:"1024"`
}

// DeviceReport says why a device is or is not usable.
type DeviceReport struct {
	Name   string `json:"name"`
	Path   string `json:"path,omitempty"`
	Usable bool   `json:"usable"`
	// Step names the check that refused the device.
	Step string `json:"step,omitempty"`
	// Refusal is a sentence that names the device and the cause.
	Refusal string `json:"refusal,omitempty" bound:"1024"`
	// Kernel is what the kernel calls the disk, for example /dev/sda, Model what the disk calls itself, and Firmware the
	// revision of its firmware; empty where that is not known.
	Kernel   string `json:"kernel,omitempty"`
	Model    string `json:"model,omitempty"`
	Firmware string `json:"firmware,omitempty"`
	// Serial and SizeBytes are what the policy promises of a disk; of a file, SizeBytes is its size.
	Serial    string `json:"serial,omitempty"`
	SizeBytes int64  `json:"sizeBytes,omitempty"`
}

// Estimate is what the benchmark will take.
type Estimate struct {
	Trials int `json:"trials"`
	// LeastSeconds is the time that the workloads set for all trials, SlowSeconds the time on slow disks, TimeoutSeconds
	// the limit.
	LeastSeconds   int64 `json:"leastSeconds"`
	SlowSeconds    int64 `json:"slowSeconds"`
	TimeoutSeconds int64 `json:"timeoutSeconds"`
	// ScratchBytes is what file devices take in the scratch directory.
	ScratchBytes int64          `json:"scratchBytes"`
	Pools        []PoolEstimate `json:"pools"`
	// MorePools is how many variants' pools are not described.
	MorePools int `json:"morePools,omitempty"`
}

// PoolEstimate is the space of one variant's pool, or of a baseline.
type PoolEstimate struct {
	Variant string `json:"variant"`
	// Baseline is the type of a baseline's filesystem, or raw; empty for a pool.
	Baseline string `json:"baseline,omitempty"`
	// DeviceBytes are all data devices together, UsableBytes what a pool of them leaves to its dataset, NeededBytes what
	// the dataset will take.
	DeviceBytes int64 `json:"deviceBytes"`
	UsableBytes int64 `json:"usableBytes"`
	NeededBytes int64 `json:"neededBytes"`
}

// checkPreflight says why a preflight cannot be true, or nil.
func checkPreflight(p *Preflight) error {
	if p == nil {
		return nil
	}
	for i, c := range p.Checks {
		if !slices.Contains(outcomes, c.Outcome) {
			return fmt.Errorf("checks[%d].outcome %q is none of %v", i, c.Outcome, outcomes)
		}
	}
	if p.Passed && (len(p.Refused()) > 0 || len(p.ChecksThat(OutcomeFailed)) > 0) {
		return fmt.Errorf("it passed although something did not")
	}
	return nil
}
