// SPDX-License-Identifier: Apache-2.0

// Package tools says what a workload tool is: everything that the rest of the program asks a tool. Each tool is a
// package below this one, and package registry lists them. docs/architecture.md says how to add one. Nothing here runs
// a tool: the runner does. It is pure.
package tools
