// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"slices"
)

// MaxJobs is how many jobs a sample may have.
const MaxJobs = 8

// Job is one of several jobs of a workload.
type Job struct {
	// Name is a word, for example client, unique in its sample.
	Name string `json:"name" bound:"20"`
	// Read and Write are nil where nothing was read or written.
	Read  *Operation `json:"read,omitempty"`
	Write *Operation `json:"write,omitempty"`
	// Sync are the calls of fsync or fdatasync; nil if there were none.
	Sync *Operation `json:"sync,omitempty"`
}

// operations are what the job did, by names such as clientRead.
func (j Job) operations() []NamedOperation {
	var all []NamedOperation
	if j.Read != nil {
		all = append(all, NamedOperation{j.Name + "Read", j.Read})
	}
	if j.Write != nil {
		all = append(all, NamedOperation{j.Name + "Write", j.Write})
	}
	if j.Sync != nil {
		all = append(all, NamedOperation{j.Name + "Sync", j.Sync})
	}
	return all
}

// IsPart says whether an operation of the sample is a phase, belongs to one of several jobs, or is a call between
// writes: counts of the whole workload say nothing about it.
func (s Sample) IsPart(operation string) bool {
	if o := s.Operation(operation); o != nil && o == s.Sync {
		return true
	}
	if _, isPhase := s.Phase(operation); isPhase {
		return true
	}
	return slices.ContainsFunc(s.Jobs, func(j Job) bool {
		return slices.ContainsFunc(j.operations(), func(p NamedOperation) bool { return p.Name == operation })
	})
}

// checkJobs says what is wrong with the jobs of a sample that came from outside, or nil. Each operation by itself is
// checked with all others.
func checkJobs(s Sample) error {
	if len(s.Jobs) > MaxJobs {
		return fmt.Errorf("more than %d", MaxJobs)
	}
	if len(s.Jobs) == 0 {
		return nil
	}
	if len(s.Phases) > 0 {
		return fmt.Errorf("there are phases as well")
	}
	var read, write, sync []*Operation
	for i, j := range s.Jobs {
		switch {
		case !jobPattern.MatchString(j.Name):
			return fmt.Errorf("name %q is not a word", j.Name)
		case slices.ContainsFunc(s.Jobs[:i], func(earlier Job) bool { return earlier.Name == j.Name }):
			return fmt.Errorf("name %q is there twice", j.Name)
		}
		read, write, sync = append(read, j.Read), append(write, j.Write), append(sync, j.Sync)
	}
	if err := checkSum(s.Read, read); err != nil {
		return fmt.Errorf("read: %w", err)
	}
	if err := checkSum(s.Write, write); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	if err := checkSum(s.Sync, sync); err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	return nil
}

// checkSum compares the totals with each job. No job takes longer than all together.
func checkSum(all *Operation, jobs []*Operation) error {
	var bytes, ios, longest int64
	for _, o := range jobs {
		if o == nil {
			continue
		}
		if all == nil {
			return fmt.Errorf("of a job, but not of the workload")
		}
		// A sum beyond int64 is negative; no number of the workload is.
		bytes, ios, longest = bytes+o.Bytes, ios+o.IOs, max(longest, o.RuntimeNanoseconds)
	}
	switch {
	case all == nil:
		return nil
	case all.Bytes != bytes || all.IOs != ios:
		return fmt.Errorf("%d bytes in %d I/O, but %d in %d of its jobs", all.Bytes, all.IOs, bytes, ios)
	case all.RuntimeNanoseconds < longest:
		return fmt.Errorf("%d ns, but a job took %d", all.RuntimeNanoseconds, longest)
	}
	return nil
}
