// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// SendOperation takes a snapshot of the dataset and sends it into another dataset of the same pool: `zfs send | zfs
// receive`. The snapshot and the new dataset stay until the end of the trial.
type SendOperation struct {
	// since is the name of an earlier workload that sends. Only the changes since then are sent, to the dataset that it
	// made. Default: everything is sent, to a new dataset.
	// +optional
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Since string `json:"since,omitempty"`
}

// CloneOperation takes a snapshot of the dataset and makes clones of it, one after the other, which stay until the end
// of the trial. Nothing is written to them.
type CloneOperation struct {
	// count is the number of clones. Default: 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	Count int32 `json:"count,omitempty"`
}

// The operations that copy a dataset within its pool.
const (
	OperationSend  Operation = "send"
	OperationClone Operation = "clone"
)
