// SPDX-License-Identifier: Apache-2.0

// Package monitor reads the node's own counters and facts from /proc and /sys: what a measurement costs and what it
// depends on. It changes nothing.
package monitor
