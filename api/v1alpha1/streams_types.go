// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
)

// StreamsWorkload writes and reads files from beginning to end, several at once, and measures the total speed for each
// number of streams. Each stream has a file of its own, and each number of streams has files of its own, so that no
// file is read twice. All writing ends before reading begins.
//
// +kubebuilder:validation:XValidation:rule=`!has(self.phases) || size(self.phases) < 2 || self.phases[0] == 'write'`,fieldPath=`.phases`,message="write must come before read in phases"
type StreamsWorkload struct {
	// counts are the numbers of streams at once, measured in this order. Default: 1, 2, 4, 8.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:Minimum=1
	// +kubebuilder:validation:items:Maximum=256
	Counts []int32 `json:"counts,omitempty"`

	// size is what each stream writes and reads, a string with a unit, for example 4Gi. The dataset must have room for
	// this size times the sum of counts.
	// +required
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`bytesWithin(self, 1, 64Ti)`,message="size must be a whole number of bytes from 1 to 64Ti, for example 10Gi"
	Size resource.Quantity `json:"size"`

	// blockSize is the size of each read and write, a string with a unit. Default: 128Ki.
	// +optional
	// +kubebuilder:default="128Ki"
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`bytesWithin(self, 512, 16Mi)`,message="blockSize must be a whole number of bytes from 512 to 16Mi, for example 128Ki"
	BlockSize *resource.Quantity `json:"blockSize,omitempty"`

	// phases are what is measured. With read alone the files are written before, without being measured, and the cache is
	// emptied then. Default: write, read.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=2
	Phases []StreamsPhase `json:"phases,omitempty"`
}

// StreamsPhase is what streams do.
//
// +kubebuilder:validation:Enum=write;read
type StreamsPhase string

// The phases of streams.
const (
	StreamsWrite StreamsPhase = "write"
	StreamsRead  StreamsPhase = "read"
)

// DefaultStreamsBlockBytes is the size of reads and writes.
const DefaultStreamsBlockBytes = 128 << 10

// AllCounts are the numbers of streams.
func (w StreamsWorkload) AllCounts() []int32 {
	if len(w.Counts) > 0 {
		return w.Counts
	}
	return []int32{1, 2, 4, 8}
}

// AllPhases are those that are measured.
func (w StreamsWorkload) AllPhases() []StreamsPhase {
	if len(w.Phases) > 0 {
		return w.Phases
	}
	return []StreamsPhase{StreamsWrite, StreamsRead}
}

// BlockBytes is the size of each read and write.
func (w StreamsWorkload) BlockBytes() int64 {
	if w.BlockSize == nil {
		return DefaultStreamsBlockBytes
	}
	return w.BlockSize.Value()
}

// Operation is a phase with a number of streams, for example write4.
func (p StreamsPhase) Operation(count int32) Operation {
	return Operation(fmt.Sprintf("%s%d", p, count))
}

// Operations are what it measures.
func (w StreamsWorkload) Operations() []Operation {
	var all []Operation
	for _, p := range w.AllPhases() {
		for _, n := range w.AllCounts() {
			all = append(all, p.Operation(n))
		}
	}
	return all
}
