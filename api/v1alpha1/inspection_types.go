// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Inspection is something that zdb finds out about a pool at rest.
//
// +kubebuilder:validation:Enum=Fragmentation;SimulatedDedup
type Inspection string

// The inspections.
const (
	// InspectFragmentation counts the blocks of files that begin where the block before them ends.
	InspectFragmentation Inspection = "Fragmentation"
	// InspectSimulatedDedup is how much deduplication would save in the whole pool.
	InspectSimulatedDedup Inspection = "SimulatedDedup"
)
