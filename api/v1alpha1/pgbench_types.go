// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PgbenchWorkload is one run of pgbench, PostgreSQL's own benchmark, against a private server that has its data in the
// dataset. The database is made before, without being measured.
type PgbenchWorkload struct {
	// script is what each transaction does: one of pgbench's built-in scripts. Default: TPCB.
	// +optional
	// +kubebuilder:default=TPCB
	Script PgbenchScript `json:"script,omitempty"`

	// scale is the size of the database, in units of 100,000 accounts, about 16 MiB (-s). Default: 10.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	Scale int32 `json:"scale,omitempty"`

	// clients work in parallel, each with a connection of its own (-c). Default: 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=256
	Clients int32 `json:"clients,omitempty"`

	// runtime is how long it measures (-T). Whole seconds, at most 1 day. Default: 60s.
	// +optional
	// +kubebuilder:default="60s"
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`secondsWithin(self, '1s', '24h')`,message="runtime must be whole seconds from 1s to 24h, for example 60s"
	Runtime *metav1.Duration `json:"runtime,omitempty"`

	// sharedBuffers is the server's own cache, a string with a unit (shared_buffers). Default: 128Mi, PostgreSQL's own.
	// +optional
	// +kubebuilder:default="128Mi"
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`bytesWithin(self, 1Mi, 64Gi) && bytesOf(self) % 1Mi == 0`,message="sharedBuffers must be a multiple of 1Mi from 1Mi to 64Gi, for example 128Mi"
	SharedBuffers *resource.Quantity `json:"sharedBuffers,omitempty"`

	// fullPageWrites has the server log a whole page when it is first changed after a checkpoint (full_page_writes).
	// OpenZFS never tears a page that fits into a record, so many people switch it off there. Default: true.
	// +optional
	// +kubebuilder:default=true
	FullPageWrites *bool `json:"fullPageWrites,omitempty"`
}

// PgbenchScript is what a transaction of pgbench does.
//
// +kubebuilder:validation:Enum=TPCB;SimpleUpdate;SelectOnly
type PgbenchScript string

// The scripts that come with pgbench.
const (
	// PgbenchTPCB updates an account, a teller and a branch, reads the account and adds to a history.
	PgbenchTPCB PgbenchScript = "TPCB"
	// PgbenchSimpleUpdate does not update teller and branch, where clients wait for each other.
	PgbenchSimpleUpdate PgbenchScript = "SimpleUpdate"
	// PgbenchSelectOnly only reads the account.
	PgbenchSelectOnly PgbenchScript = "SelectOnly"
)

// PgbenchTransaction is what pgbench measures.
const PgbenchTransaction Operation = "transaction"

const (
	defaultPgbenchScale   = 10
	defaultPgbenchRuntime = time.Minute
	defaultSharedBuffers  = 128 << 20
)

// WithDefaults is the workload with its defaults.
func (w PgbenchWorkload) WithDefaults() PgbenchWorkload {
	if w.Script == "" {
		w.Script = PgbenchTPCB
	}
	if w.Scale == 0 {
		w.Scale = defaultPgbenchScale
	}
	w.Clients = max(1, w.Clients)
	if w.Runtime == nil {
		w.Runtime = &metav1.Duration{Duration: defaultPgbenchRuntime}
	}
	if w.SharedBuffers == nil {
		w.SharedBuffers = resource.NewQuantity(defaultSharedBuffers, resource.BinarySI)
	}
	if w.FullPageWrites == nil {
		w.FullPageWrites = new(true)
	}
	return w
}

// Operations are what it measures.
func (PgbenchWorkload) Operations() []Operation { return []Operation{PgbenchTransaction} }
