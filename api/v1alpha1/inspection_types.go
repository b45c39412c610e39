// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Inspection is something that zdb finds out about a pool at rest.
//
// +kubebuilder:validation:Enum=Fragmentation;SimulatedDedup
type Inspection string

// The inspections.
const (
	// InspectFragmentation is how the blocks of the files lie: how many begin where the one before ends.
	InspectFragmentation Inspection = "Fragmentation"
	// InspectSimulatedDedup is what deduplication would do for all that is in the pool.
	InspectSimulatedDedup Inspection = "SimulatedDedup"
)
