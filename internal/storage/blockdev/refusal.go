// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"errors"
	"fmt"
)

// ErrNotOurs is the cause of a refusal by Prove or Release if the disk holds something, but nothing of the recorded
// table: the disk never became ours, or somebody has taken it since. There is nothing to release, and the disk must not
// be touched.
var ErrNotOurs = errors.New("nothing on it is the benchmark's")

// Step names the check that refused a disk.
type Step string

// The checks, in the order in which they run, and two more for disks that are ours.
const (
	StepHost        Step = "host"
	StepPath        Step = "path"
	StepKind        Step = "kind"
	StepSerial      Step = "serial"
	StepSize        Step = "size"
	StepReadOnly    Step = "read-only"
	StepPartitions  Step = "partitions"
	StepHolders     Step = "holders"
	StepSystem      Step = "system"
	StepMounts      Step = "mounts"
	StepSwap        Step = "swap"
	StepBacking     Step = "backing"
	StepVolumes     Step = "volumes"
	StepPools       Step = "pools"
	StepSignatures  Step = "signatures"
	StepContent     Step = "content"
	StepLabels      Step = "labels"
	StepReservation Step = "reservation"
	StepOpen        Step = "open"
	// StepOwnership refuses to touch anything that is not provably ours.
	StepOwnership Step = "ownership"
	// StepWrite is a failure to write, or to read back what was written.
	StepWrite Step = "write"
)

// Refusal says which disk is not touched, and why. Every error of Check, Partition, Prove and Release is a Refusal.
type Refusal struct {
	// Device is the benchmark's name for the disk, Path the path by which it was requested.
	Device, Path string
	Step         Step
	Cause        error
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("device %s (%s) is refused: %v", r.Device, r.Path, r.Cause)
}

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return r.Cause }
