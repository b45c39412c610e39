// SPDX-License-Identifier: Apache-2.0

// Package bottleneck finds what kept a workload from being faster: the CPUs, synchronous writes, a device or the ARC.
// It looks at nothing but ratios of what the monitors saw, so that it says the same of a slow node as of a fast one:
// docs/results.md, "What limited a workload". It is pure.
package bottleneck
