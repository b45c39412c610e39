// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import "cmp"

// FioSteadyState says how long a workload is repeated to become steady. It is steady if two things hold for the last
// rounds, as many as window says: their fastest and slowest round differ by at most 20% of their mean IOPS, and the
// straight line that fits them best rises or falls by at most 10% of this mean from the first of them to the last.
//
// +kubebuilder:validation:XValidation:rule=`(has(self.window) ? self.window : 5) <= (has(self.rounds) ? self.rounds : 25)`,fieldPath=`.rounds`,message="rounds must be at least window, which is 5 unless it says otherwise"
type FioSteadyState struct {
	// rounds is the largest number of rounds. Default: 25.
	// +optional
	// +kubebuilder:validation:Minimum=3
	// +kubebuilder:validation:Maximum=100
	Rounds int32 `json:"rounds,omitempty"`

	// window is the number of rounds in a row that must be steady. The result is measured over the last window. Default:
	// 5.
	// +optional
	// +kubebuilder:validation:Minimum=3
	// +kubebuilder:validation:Maximum=20
	Window int32 `json:"window,omitempty"`

	// then is what a workload does once it is steady: Ends stops it, GoesOn runs all rounds. Default: Ends.
	// +optional
	Then SteadyThen `json:"then,omitempty"`
}

// SteadyThen is what a workload does once it is steady.
//
// +kubebuilder:validation:Enum=Ends;GoesOn
type SteadyThen string

// What a workload does once it is steady.
const (
	SteadyEnds   SteadyThen = "Ends"
	SteadyGoesOn SteadyThen = "GoesOn"
)

// WithDefaults has the defaults in place of what is not set: SNIA's numbers of rounds.
func (s FioSteadyState) WithDefaults() FioSteadyState {
	s.Rounds, s.Window, s.Then = cmp.Or(s.Rounds, 25), cmp.Or(s.Window, 5), cmp.Or(s.Then, SteadyEnds)
	return s
}
