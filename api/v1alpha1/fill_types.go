// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// FillOperation writes files of random data, which neither compresses nor occurs twice, until the pool is as full as
// percent says. They stay until the end of the trial, with the files of the workloads.
//
// +kubebuilder:validation:XValidation:rule="!has(self.overwritePercent) || (has(self.method) && self.method == 'RandomOverwrites')",message="overwritePercent has a meaning only with method RandomOverwrites"
type FillOperation struct {
	// percent is how much of the pool's usable space is used afterwards, by everything in the pool. Usable space is what
	// datasets can use: OpenZFS reserves a part of the pool. At least 4% of the usable space stay free.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=96
	Percent int32 `json:"percent"`

	// method is how the pool is filled. Sequential writes files one after the other. RandomOverwrites does the same, and
	// then overwrites records in random places of all files that fill operations have made, which fragments the free
	// space. Default: Sequential.
	// +optional
	// +kubebuilder:default=Sequential
	Method FillMethod `json:"method,omitempty"`

	// overwritePercent is how much is overwritten at random, as a percentage of the size of these files. Default: 100.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	OverwritePercent int32 `json:"overwritePercent,omitempty"`
}

// FillMethod is a way to fill a pool.
//
// +kubebuilder:validation:Enum=Sequential;RandomOverwrites
type FillMethod string

// The ways to fill a pool.
const (
	FillSequential       FillMethod = "Sequential"
	FillRandomOverwrites FillMethod = "RandomOverwrites"
)

// defaultOverwritePercent is the default of overwritePercent with random overwrites.
const defaultOverwritePercent = 100

// Overwrites is how much is overwritten, in percent of the files; 0 if nothing is.
func (o FillOperation) Overwrites() int32 {
	switch {
	case o.Method != FillRandomOverwrites:
		return 0
	case o.OverwritePercent == 0:
		return defaultOverwritePercent
	}
	return o.OverwritePercent
}

// The operations of filling a pool.
const (
	OperationFill      Operation = "fill"
	OperationOverwrite Operation = "overwrite"
)

// Operations are what it measures.
func (o FillOperation) Operations() []Operation {
	if o.Overwrites() > 0 {
		return []Operation{OperationFill, OperationOverwrite}
	}
	return []Operation{OperationFill}
}
