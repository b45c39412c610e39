// SPDX-License-Identifier: Apache-2.0

// Package discovery finds out what a node has for benchmarks: OpenZFS, tools, memory, pools, and its disks with what
// the guard says about each. It only reads. What it finds is information; consent is a policy's alone.
package discovery
