// SPDX-License-Identifier: Apache-2.0

// Package journal keeps, on the node, what must survive a runner: when its plan began, what it owns, and the results of
// finished trials. It knows nothing about pools, tools and sinks. Every change is on disk when its method returns.
package journal
