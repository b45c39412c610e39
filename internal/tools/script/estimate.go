// SPDX-License-Identifier: Apache-2.0

package script

import "time"

// Bytes is what the workload says.
func (t Tool) Bytes() float64 { return float64(t.Size.Value()) }

// Duration is as long as it may take: what it does, nobody knows.
func (t Tool) Duration() time.Duration { return t.TimeLimit() }

// TimeLimit is the workload's timeout.
func (t Tool) TimeLimit() time.Duration { return t.ScriptWorkload.TimeLimit() }
