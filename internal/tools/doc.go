// SPDX-License-Identifier: Apache-2.0

// Package tools says what a workload's tool is: all that the rest of the program asks of one. Each tool is a package
// below this one, and package registry lists them. Nothing here runs a tool: that is the runner's work. It is pure.
package tools
