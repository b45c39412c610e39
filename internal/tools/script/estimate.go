// SPDX-License-Identifier: Apache-2.0

package script

import "time"

// Bytes is the size given in the workload.
func (t Tool) Bytes() float64 { return float64(t.Size.Value()) }

// Duration is the timeout: nobody knows what the script does.
func (t Tool) Duration() time.Duration { return t.TimeLimit() }

// TimeLimit is the workload's timeout.
func (t Tool) TimeLimit() time.Duration { return t.ScriptWorkload.TimeLimit() }
