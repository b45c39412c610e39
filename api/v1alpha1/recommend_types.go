// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// RecommendSpec asks for the best variant, with what is needed to use it in a cluster: a StorageClass for OpenZFS's CSI
// driver (zfs-localpv), and the command that creates its pool. Only variants on ZFS can be recommended.
type RecommendSpec struct {
	// goals are what a variant should be good at. Variants are ranked by the weighted geometric mean of their metrics;
	// lower latencies are better.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Goals []RecommendGoal `json:"goals"`

	// requirements are limits that a variant must meet on every node.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Requirements []RecommendRequirement `json:"requirements,omitempty"`

	// minRedundancy is how many devices may be lost, whichever they are, without losing data. Default: 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=3
	MinRedundancy int32 `json:"minRedundancy,omitempty"`

	// acceptDataLoss also allows variants with sync=disabled or checksum=off to be recommended. They are fast because they
	// give up the safety that the others have.
	// +optional
	AcceptDataLoss bool `json:"acceptDataLoss,omitempty"`
}

// RecommendGoal is a metric, and how much it counts.
type RecommendGoal struct {
	// workload is one of spec.workloads, by name.
	// +required
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:XValidation:rule=`isDNSLabel(self)`,message="workload is not in spec.workloads"
	Workload string `json:"workload"`

	// metric is a metric of the workload, as in thresholds.
	// +required
	Metric ThresholdMetric `json:"metric"`

	// weight is how much the goal counts relative to the others. Default: 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Weight int32 `json:"weight,omitempty"`
}

// RecommendRequirement is a limit for one metric of one workload; exactly one of atLeast and atMost is set.
//
// +kubebuilder:validation:XValidation:rule=`has(self.atLeast) != has(self.atMost)`,message="exactly one of atLeast and atMost must be set"
type RecommendRequirement struct {
	// workload is one of spec.workloads, by name.
	// +required
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:XValidation:rule=`isDNSLabel(self)`,message="workload is not in spec.workloads"
	Workload string `json:"workload"`

	// metric is the metric that is limited, as in thresholds.
	// +required
	Metric ThresholdMetric `json:"metric"`

	// atLeast is the smallest value that meets the requirement: bytes per second (500Mi), I/O per second (20k), or a time
	// (2ms).
	// +optional
	AtLeast ThresholdBound `json:"atLeast,omitempty"`

	// atMost is the largest value that meets the requirement, in the same units.
	// +optional
	AtMost ThresholdBound `json:"atMost,omitempty"`
}

// Threshold is the requirement as a threshold for every variant.
func (r RecommendRequirement) Threshold() Threshold {
	return Threshold{Workload: r.Workload, Metric: r.Metric, AtLeast: r.AtLeast, AtMost: r.AtMost}
}
