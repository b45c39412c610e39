// SPDX-License-Identifier: Apache-2.0

package dbench

import (
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/internal/text/fields"
)

const maxClients = 1000

// runtimeRange is at least 2 seconds: dbench prints nothing of what takes less.
var runtimeRange = fields.Duration{Name: "runtime", Minimum: 2 * time.Second, Maximum: 24 * time.Hour, Least: "2s",
	Most: "24h", Example: "10m"}

// Validate checks a run of dbench.
func (t Tool) Validate(path *field.Path) field.ErrorList {
	return append(fields.Between(t.Clients, 0, maxClients, path.Child("clients")),
		runtimeRange.Check(t.Runtime, path.Child("runtime"))...)
}
