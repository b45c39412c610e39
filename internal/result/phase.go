// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"slices"
)

// MaxPhases is how many phases a sample may have.
const MaxPhases = 32

// Why a phase ended before it had done all of its work.
const (
	EndedByTime    = "Time"
	EndedByNoSpace = "NoSpace"
)

// Phase is one of several things that a workload does one after the other, each measured by itself, as creating the
// files of a tree.
type Phase struct {
	// Name is a word, for example create, unique in its sample.
	Name string `json:"name" bound:"40"`
	// Operation counts files, directories or seeks as I/O; Bytes are 0 where none are moved, and IOs where only bytes are
	// counted.
	Operation
	// Reads says that Bytes were read; else they were written.
	Reads bool `json:"reads,omitempty"`
	// Mixed says that Bytes were read and written, and the tool does not say how many of each.
	Mixed bool `json:"mixed,omitempty"`
	// Copies says that Bytes were read and then written.
	Copies bool `json:"copies,omitempty"`
	// SelfReported says that a script reported the rate, in a unit of its own. Bytes are computed from it; they may not
	// have moved.
	SelfReported bool `json:"told,omitempty"`
	// SyncNanoseconds is how long it took to write out what was still in memory at the end, after the runtime.
	SyncNanoseconds int64 `json:"syncNanoseconds,omitempty"`
	// Ended is EndedByTime or EndedByNoSpace; empty for a phase that did all of its work.
	Ended string `json:"ended,omitempty"`
	// TooFast says that it was over before the tool could measure it: there are no rates.
	TooFast bool `json:"tooFast,omitempty"`
}

// Rate is how fast it was: bytes per second, or operations per second if it moves no bytes.
func (o Operation) Rate() float64 {
	if o.Bytes == 0 && o.BandwidthBytesPerSecond == 0 {
		return o.IOPS
	}
	return o.BandwidthBytesPerSecond
}

// NamedOperation is an operation of a sample by its name: read, write, sync, a pass or a job as pass2Read or
// clientRead, or a phase.
type NamedOperation struct {
	Name string
	*Operation
}

// Operations are all operations of a sample that have rates: reading, writing, syncing, these for each of several jobs,
// the phases in their order, and the operation on the pool at the same time.
func (s Sample) Operations() []NamedOperation {
	if s.Pass > 0 {
		return Job{Name: fmt.Sprintf("pass%d", s.Pass), Read: s.Read, Write: s.Write, Sync: s.Sync}.operations()
	}
	var all []NamedOperation
	if s.Read != nil {
		all = append(all, NamedOperation{"read", s.Read})
	}
	if s.Write != nil {
		all = append(all, NamedOperation{"write", s.Write})
	}
	if s.Sync != nil {
		all = append(all, NamedOperation{"sync", s.Sync})
	}
	for _, j := range s.Jobs {
		all = append(all, j.operations()...)
	}
	for i := range s.Phases {
		if !s.Phases[i].TooFast {
			all = append(all, NamedOperation{s.Phases[i].Name, &s.Phases[i].Operation})
		}
	}
	if s.During != nil {
		all = append(all, NamedOperation{s.During.Name, &s.During.Operation})
	}
	return all
}

// Operation finds an operation by its name; nil if the sample does not have it.
func (s Sample) Operation(name string) *Operation {
	for _, p := range s.Operations() {
		if p.Name == name {
			return p.Operation
		}
	}
	return nil
}

// Phase finds a phase by its name; false if the sample does not have it.
func (s Sample) Phase(name string) (Phase, bool) {
	i := slices.IndexFunc(s.Phases, func(p Phase) bool { return p.Name == name })
	if i < 0 && s.During != nil && s.During.Name == name {
		return s.During.Phase, true
	}
	if i < 0 {
		return Phase{}, false
	}
	return s.Phases[i], true
}

// BytesRead and BytesWritten are what the workload moved, all of its phases together.
func (s Sample) BytesRead() int64 { return s.moved(s.Read, true) }

// BytesWritten is what the sample wrote.
func (s Sample) BytesWritten() int64 { return s.moved(s.Write, false) }

// BytesMoved is what it read and wrote, also where the tool does not distinguish them.
func (s Sample) BytesMoved() int64 {
	bytes := s.BytesRead() + s.BytesWritten()
	for _, p := range s.Phases {
		if p.Mixed && !p.SelfReported {
			bytes += p.Bytes
		}
	}
	return bytes
}

func (s Sample) moved(o *Operation, reads bool) int64 {
	var bytes int64
	if o != nil {
		bytes = o.Bytes
	}
	for _, p := range s.Phases {
		if p.Copies || p.Reads == reads && !p.Mixed {
			bytes += p.Bytes
		}
	}
	return bytes
}

// checkPhases says what is wrong with the phases of a sample that came from outside, or nil.
func checkPhases(s Sample) error {
	if len(s.Phases) > MaxPhases {
		return fmt.Errorf("more than %d", MaxPhases)
	}
	if len(s.Phases) > 0 && (s.Read != nil || s.Write != nil || s.Sync != nil) {
		return fmt.Errorf("there are read or write as well")
	}
	for i, p := range s.Phases {
		switch {
		case !phasePattern.MatchString(p.Name):
			return fmt.Errorf("name %q is not a word", p.Name)
		case slices.ContainsFunc(s.Phases[:i], func(earlier Phase) bool { return earlier.Name == p.Name }):
			return fmt.Errorf("name %q is there twice", p.Name)
		case p.Ended != "" && p.Ended != EndedByTime && p.Ended != EndedByNoSpace:
			return fmt.Errorf("%s: ended by %q", p.Name, p.Ended)
		case p.Mixed && p.Reads:
			return fmt.Errorf("%s: it reads, and reads and writes", p.Name)
		case p.Copies && (p.Reads || p.Mixed):
			return fmt.Errorf("%s: it copies, and does something else", p.Name)
		case p.SelfReported && (p.Reads || p.Copies):
			return fmt.Errorf("%s: a script reported it, which says nothing of reading or copying", p.Name)
		case p.TooFast && (p.IOPS != 0 || p.BandwidthBytesPerSecond != 0):
			return fmt.Errorf("%s: it has a rate and was too fast for one", p.Name)
		}
		if err := p.Check(); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return nil
}
