// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// ComparisonSpec says what the variants are compared with: with each other, with other benchmarks, or both.
type ComparisonSpec struct {
	// reference is the variant that the others are compared with, by name, or values of some axes: with layout=stripe,
	// each variant is compared with the one that has the layout stripe and otherwise the same values. Default: no
	// reference, and so no verdicts.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`isVariantReference(self)`,message="reference must be the name of a variant, or axis=value for some of the axes, for example layout=stripe"
	Reference string `json:"reference,omitempty"`

	// margin is the difference that does not matter. A variant is better or worse only beyond it, and equivalent only
	// within it.
	// +optional
	// +kubebuilder:default="3%"
	Margin Percentage `json:"margin,omitempty"`

	// with are other benchmarks, or saved results of them, that this one is compared with when it finishes: before and
	// after an upgrade, or node against node. Equal workloads of equal variants are compared. If both benchmarks have only
	// one variant, these two are compared whatever their names; the same holds for nodes.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:XValidation:rule=`self.map(w, otherName(w)).all(n, self.exists_one(w, otherName(w) == n))`,message="with has a name more than once: a threshold could not say which one it is relative to"
	With []ComparedWith `json:"with,omitempty"`
}

// ComparedWith names another benchmark of the same namespace, or a ConfigMap there that holds a copy of another
// benchmark's results; exactly one is set.
//
// +kubebuilder:validation:XValidation:rule=`has(self.benchmark) != has(self.configMap)`,message="exactly one of benchmark and configMap must be set"
type ComparedWith struct {
	// benchmark is the name of a ZfsBenchmark that has finished when this one does.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`isDNSName(self)`,message="benchmark must be the name of a ZfsBenchmark"
	Benchmark string `json:"benchmark,omitempty"`

	// configMap is the name of a ConfigMap with the key comparable.json, such as a copy of NAME-results, which is deleted
	// with its benchmark.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`isDNSName(self)`,message="configMap must be the name of a ConfigMap"
	ConfigMap string `json:"configMap,omitempty"`
}

// Name is the name of the benchmark or of the ConfigMap. Thresholds refer to it.
func (c ComparedWith) Name() string { return c.Benchmark + c.ConfigMap }
