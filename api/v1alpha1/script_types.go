// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ScriptWorkload runs a program of a container image that a BenchmarkDevicePolicy lists. It runs in the sandbox of all
// tools: as an unprivileged user, without network, with the image's files as its root, read-only. The image's own
// settings (user, environment, entry point) are ignored.
//
// The dataset is mounted at /target, and the environment variable ZFSBENCH_DATA holds this path. /tmp has 64 MiB of
// memory. The last line that the program prints on standard output is its result: one JSON object with a number for
// each of metrics, for example {"load": 12.5, "rows": 48211}.
type ScriptWorkload struct {
	// image is the container image, exactly as a BenchmarkDevicePolicy lists it in spec.images.
	// +required
	Image ImageReference `json:"image"`

	// command is the program with its arguments. A program without / is looked for in the usual directories of the image.
	// No shell is used unless it is the program itself: [sh, -c, "..."].
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=8192
	// +kubebuilder:validation:XValidation:rule=`size(self) == 0 || size(self[0]) > 0`,message="command must begin with a program"
	Command []string `json:"command"`

	// metrics are the numbers that the program prints.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Metrics []ScriptMetric `json:"metrics"`

	// size is the most that the program stores in the dataset at any time, a string with a unit. The preflight checks that
	// this much fits.
	// +required
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`bytesWithin(self, 1, 64Ti)`,message="size must be a whole number of bytes from 1 to 64Ti, for example 10Gi"
	Size resource.Quantity `json:"size"`

	// timeout is how long the program may run. If it takes longer, it is stopped and the trial fails. Whole seconds, at
	// most 1 day. Default: 10m.
	// +optional
	// +kubebuilder:default="10m"
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`secondsWithin(self, '1s', '24h')`,message="timeout must be whole seconds from 1s to 24h, for example 10m"
	Timeout *metav1.Duration `json:"timeout,omitempty"`
}

// ScriptMetric is a number that a script prints.
type ScriptMetric struct {
	// name is the key of the number in the script's output, and the name of the operation in results.
	// +required
	// +kubebuilder:validation:MaxLength=30
	// +kubebuilder:validation:XValidation:rule=`self.matches('^[a-z][A-Za-z0-9]*$')`,message="name must be letters and digits, and begin with a lower-case letter, for example rows"
	Name string `json:"name"`

	// unit is the unit of the number. It also says which number is better: with Seconds the smaller one, with PerSecond
	// (rows, requests or anything else that can be counted) and BytesPerSecond the larger one.
	// +required
	Unit ScriptUnit `json:"unit"`
}

// ScriptUnit is the unit of a number that a script prints.
//
// +kubebuilder:validation:Enum=Seconds;PerSecond;BytesPerSecond
type ScriptUnit string

// The units.
const (
	ScriptSeconds        ScriptUnit = "Seconds"
	ScriptPerSecond      ScriptUnit = "PerSecond"
	ScriptBytesPerSecond ScriptUnit = "BytesPerSecond"
)

// DefaultScriptTimeout is the timeout of a script.
const DefaultScriptTimeout = 10 * time.Minute

// TimeLimit is how long it may run.
func (w ScriptWorkload) TimeLimit() time.Duration {
	if w.Timeout == nil {
		return DefaultScriptTimeout
	}
	return w.Timeout.Duration
}

// Operations are its metrics.
func (w ScriptWorkload) Operations() []Operation {
	all := make([]Operation, 0, len(w.Metrics))
	for _, m := range w.Metrics {
		all = append(all, Operation(m.Name))
	}
	return all
}
