// SPDX-License-Identifier: Apache-2.0

// Package plan is the contract between manager and runner: the fully expanded, ordered, versioned list of trials for
// one node. It is pure.
package plan
