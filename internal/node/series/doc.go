// SPDX-License-Identifier: Apache-2.0

// Package series makes of what monitors see while a workload runs a time series of bounded size, and what of it fits into a sample. It is pure.
package series
