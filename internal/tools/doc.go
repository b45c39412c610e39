// SPDX-License-Identifier: Apache-2.0

// Package tools has the interface of a workload tool: everything that the rest of the program needs to know about it.
// Each tool is a package below this one, and package registry lists them. docs/architecture.md says how to add one.
// Nothing here runs a tool: the runner does. It is pure.
package tools
