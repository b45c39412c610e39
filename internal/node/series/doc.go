// SPDX-License-Identifier: Apache-2.0

// Package series turns observations of the node during a workload into time series of bounded size, and into a summary
// for the sample. It is pure.
package series
