// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// ComparisonSpec says what the variants are compared with.
type ComparisonSpec struct {
	// reference is the variant that the others are compared with, by name, or values of some axes: with layout=stripe, each variant is compared with
	// the one that has the layout stripe and otherwise the same values. Default: none, and no verdicts.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`self.matches('^([A-Za-z0-9]([-A-Za-z0-9._+]*[A-Za-z0-9])?|[a-z0-9]([-a-z0-9]*[a-z0-9])?=[A-Za-z0-9]([-A-Za-z0-9._+]*[A-Za-z0-9])?(,[a-z0-9]([-a-z0-9]*[a-z0-9])?=[A-Za-z0-9]([-A-Za-z0-9._+]*[A-Za-z0-9])?)*)$')`,message="reference must be the name of a variant, or axis=value for some of the axes, for example layout=stripe"
	Reference string `json:"reference,omitempty"`

	// margin is the difference that does not matter. A variant is better or worse only beyond it, and equivalent only within it.
	// +optional
	// +kubebuilder:default="3%"
	Margin Percentage `json:"margin,omitempty"`
}
