// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DbenchWorkload is one run of dbench with its own load file: its clients repeat the file operations of a file server
// under the benchmark NetBench.
type DbenchWorkload struct {
	// clients work in parallel, each a process in a directory of its own. Default: 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Clients int32 `json:"clients,omitempty"`

	// runtime is how long it measures (-t), after a warm-up of a fifth of this time. Whole seconds, at most 1 day.
	// Default: 10m, dbench's own.
	// +optional
	// +kubebuilder:default="10m"
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`secondsWithin(self, '2s', '24h')`,message="runtime must be whole seconds from 2s to 24h, for example 10m"
	Runtime *metav1.Duration `json:"runtime,omitempty"`

	// syncOpen opens all files with O_SYNC (-s).
	// +optional
	SyncOpen bool `json:"syncOpen,omitempty"`

	// syncDirectories calls fsync for a directory when something in it is made, removed or renamed (-S).
	// +optional
	SyncDirectories bool `json:"syncDirectories,omitempty"`

	// fsync calls fsync after every write (-F).
	// +optional
	Fsync bool `json:"fsync,omitempty"`
}

// DbenchThroughput is dbench's summary: the bytes that its load reads and writes per second.
const DbenchThroughput Operation = "throughput"

// DefaultDbenchRuntime is dbench's own.
const DefaultDbenchRuntime = 10 * time.Minute

// DbenchCalls are the requests of a file server in dbench's load, as dbench calls them and in the order of its output.
func DbenchCalls() []string {
	return []string{
		"NTCreateX", "Close", "Rename", "Unlink", "Deltree", "Rmdir", "Mkdir", "Qpathinfo", "Qfileinfo", "Qfsinfo",
		"Sfileinfo", "Find", "WriteX", "ReadX", "LockX", "UnlockX", "Flush",
	}
}

// DbenchOperation is what results call a request.
func DbenchOperation(call string) Operation {
	if call == "NTCreateX" {
		return "ntCreateX"
	}
	return Operation(strings.ToLower(call[:1]) + call[1:])
}

// RunTime is how long it measures.
func (w DbenchWorkload) RunTime() time.Duration {
	if w.Runtime == nil {
		return DefaultDbenchRuntime
	}
	return w.Runtime.Duration
}

// Operations are what it measures. Requests that the load does not make are not in its output.
func (DbenchWorkload) Operations() []Operation {
	all := []Operation{DbenchThroughput}
	for _, c := range DbenchCalls() {
		all = append(all, DbenchOperation(c))
	}
	return all
}
