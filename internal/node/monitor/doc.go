// SPDX-License-Identifier: Apache-2.0

// Package monitor reads the node's counters and facts from /proc and /sys: the cost of a measurement, and the
// conditions that it depends on. It changes nothing.
package monitor
