// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// RepetitionsSpec says how often and in which order the variants are measured. A repetition is a block: it holds every
// variant once.
//
// +kubebuilder:validation:XValidation:rule=`!has(self.max) || self.max >= minRepetitions`,fieldPath=`.max`,message="max must be at least min"
// +kubebuilder:validation:XValidation:rule=`!has(self.max) || self.max <= minRepetitions || (has(self.min) && self.min >= 6)`,fieldPath=`.min`,message="min must be at least 6 with max above it: fewer repetitions are too easily alike by chance, and intervals that decide when to stop then promise too much"
// +kubebuilder:validation:XValidation:rule=`!has(self.targetRelativeError) || has(self.max)`,fieldPath=`.targetRelativeError`,message="targetRelativeError needs max: without it the number of repetitions is min"
// +kubebuilder:validation:XValidation:rule=`!has(self.max) || self.max == minRepetitions || !has(self.order) || self.order != 'Sequential'`,fieldPath=`.order`,message="order Sequential has no complete blocks to stop after: remove max, or use Randomized or Interleaved"
// +kubebuilder:validation:XValidation:rule=`!has(self.confirm) || !has(self.order) || self.order != 'Sequential'`,fieldPath=`.confirm`,message="order Sequential has no repetitions that could confirm a winner: use Randomized or Interleaved"
// +kubebuilder:validation:XValidation:rule=`!has(self.freshPool) || self.freshPool != 'PerVariant' || (has(self.order) && self.order == 'Sequential')`,fieldPath=`.freshPool`,message="freshPool PerVariant needs order Sequential, in which the repetitions of a variant follow each other"
type RepetitionsSpec struct {
	// min is the number of repetitions, or with max the smallest number. A distribution-free 95% interval of a median
	// needs at least 6.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Min int32 `json:"min,omitempty"`

	// max is the largest number of repetitions; if it is above min, min must be at least 6. From min on, the benchmark
	// ends after the first repetition at which all results are as certain as targetRelativeError requires. Default: min.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Max *int32 `json:"max,omitempty"`

	// targetRelativeError is how far the 95% interval of a result may reach from it: of the ratio to the reference variant
	// if there is one, else of the bandwidth itself. Default: 2.5%.
	// +optional
	TargetRelativeError Percentage `json:"targetRelativeError,omitempty"`

	// order of the variants in each repetition. Randomized protects against drift: if all later trials become slower, no
	// variant has an advantage.
	// +optional
	// +kubebuilder:default=Randomized
	Order RepetitionOrder `json:"order,omitempty"`

	// seed of the random order. Default: derived from the benchmark's UID, so every benchmark has its own; it is in
	// results.json.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Seed *int64 `json:"seed,omitempty"`

	// freshPool is when a new pool, or a new filesystem of a baseline, is created. PerRepetition creates one for every
	// trial, so that no trial inherits anything from another. PerVariant keeps it for all repetitions of a variant, and
	// creates only the dataset again: it shows how a pool changes in use, and saves the time to create pools. Repetitions
	// on one pool depend on each other, so their intervals are less reliable. PerVariant needs order Sequential.
	// +optional
	// +kubebuilder:default=PerRepetition
	FreshPool FreshPool `json:"freshPool,omitempty"`

	// confirm is the number of further repetitions, 6 to 100, in which winners are measured again. The best of many
	// variants looks better than it is; repetitions that did not choose it show how good it is. After the other
	// repetitions, the fastest variant of each workload and operation is compared with its reference, among variants of
	// equal redundancy, sync and checksum. If it is faster than the reference, both are measured this many times more. It
	// needs comparison.reference, and an order other than Sequential. Default: winners are not confirmed.
	// +optional
	// +kubebuilder:validation:Minimum=6
	// +kubebuilder:validation:Maximum=100
	Confirm *int32 `json:"confirm,omitempty"`
}

// FreshPool is when a new pool is created.
//
// +kubebuilder:validation:Enum=PerRepetition;PerVariant
type FreshPool string

const (
	// FreshPoolPerRepetition makes a new pool for every trial.
	FreshPoolPerRepetition FreshPool = "PerRepetition"
	// FreshPoolPerVariant makes a new pool for every variant; between its repetitions the dataset is destroyed, its space
	// is freed (and trimmed if disks are discarded), and a new dataset is made. On a baseline's filesystem the files are
	// removed; a raw disk keeps its data.
	FreshPoolPerVariant FreshPool = "PerVariant"
)

// RepetitionOrder is the order of trials.
//
// +kubebuilder:validation:Enum=Randomized;Interleaved;Sequential
type RepetitionOrder string

const (
	// OrderRandomized gives each repetition a fresh permutation of the variants, with the reference variant at its start
	// and once more at its end.
	OrderRandomized RepetitionOrder = "Randomized"
	// OrderInterleaved runs the variants of each repetition in the order of the matrix.
	OrderInterleaved RepetitionOrder = "Interleaved"
	// OrderSequential runs all repetitions of a variant before the next variant. Drift then looks like a difference.
	OrderSequential RepetitionOrder = "Sequential"
)
