// SPDX-License-Identifier: Apache-2.0

// Package bottleneck finds what kept a workload from being faster: the CPUs, synchronous writes, a device or the ARC.
// It uses only ratios of monitored values, so it works the same on slow and fast nodes: see docs/results.md, "What
// limited a workload". It is pure.
package bottleneck
