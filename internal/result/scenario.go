// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"slices"
)

// Times are how long it took to make what a trial ran on, and to take it away, in nanoseconds. What was not done, or
// could not be measured, is 0.
type Times struct {
	// PoolCreate is the time of `zpool create`, and of `zpool add` for vdevs of an ashift of their own.
	PoolCreate int64 `json:"poolCreate,omitempty"`
	// ArrayCreate is the time of `mdadm --create`, ArraySync the time from then until the md array was in sync.
	ArrayCreate int64 `json:"arrayCreate,omitempty"`
	ArraySync   int64 `json:"arraySync,omitempty"`
	// FilesystemMake is the time of the command that made another filesystem.
	FilesystemMake int64 `json:"filesystemMake,omitempty"`
	// DatasetDestroy is the time of `zfs destroy` of the dataset with all that the workloads wrote, until its space was
	// free.
	DatasetDestroy int64 `json:"datasetDestroy,omitempty"`
}

// Filled is how full a pool was before and after it was filled.
type Filled struct {
	Before PoolSpace `json:"before"`
	After  PoolSpace `json:"after"`
}

// PoolSpace is how full a pool is. AllocatedBytes, CapacityPercent and FragmentationPercent come from `zpool list`,
// with parity; UsedBytes and AvailableBytes what it gives to datasets.
type PoolSpace struct {
	AllocatedBytes  int64 `json:"allocatedBytes"`
	CapacityPercent int   `json:"capacityPercent"`
	// FragmentationPercent is -1 where OpenZFS knows none.
	FragmentationPercent int   `json:"fragmentationPercent" bound:"unknown"`
	UsedBytes            int64 `json:"usedBytes"`
	AvailableBytes       int64 `json:"availableBytes"`
}

// FilledPercent is how much is used of what is usable.
func (s PoolSpace) FilledPercent() float64 {
	usable := float64(s.UsedBytes) + float64(s.AvailableBytes)
	if usable == 0 {
		return 0
	}
	return float64(s.UsedBytes) / usable * 100
}

// During is what was done with the pool while the tool of a sample ran.
type During struct {
	// Argv is exactly what ran.
	Argv []string `json:"argv" bound:"1024"`
	// Phase is the operation, from its beginning to its end.
	Phase
	// AloneNanoseconds is how long the operation went on after the tool had ended; 0 if it was over before.
	AloneNanoseconds int64 `json:"aloneNanoseconds,omitempty"`
	// Interrupted says that the tool was ended because the operation was over.
	Interrupted bool `json:"interrupted,omitempty"`
}

// checkDuring says what is wrong with it, or nil.
func checkDuring(s Sample) error {
	d := s.During
	switch {
	case d == nil:
		return nil
	case !phasePattern.MatchString(d.Name):
		return fmt.Errorf("name %q is not a word", d.Name)
	case slices.ContainsFunc(s.Phases, func(p Phase) bool {
		return p.Name == d.Name
	}) || d.Name == "read" || d.Name == "write":
		return fmt.Errorf("name %q is there twice", d.Name)
	case d.TooFast || d.Ended != "":
		return fmt.Errorf("%s did not come to its end, or was too fast", d.Name)
	case d.AloneNanoseconds > d.RuntimeNanoseconds:
		return fmt.Errorf("%s went on alone for longer than it took", d.Name)
	}
	return d.Check()
}
