// SPDX-License-Identifier: Apache-2.0

// Package journal is what survives a runner on the node: when its plan began, what it owns, and the results of finished
// trials. It knows nothing of pools, tools and sinks. Every change is on disk when its method returns.
package journal
