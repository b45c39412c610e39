// SPDX-License-Identifier: Apache-2.0

// Package manifest reads files with a ZfsBenchmark and BenchmarkDevicePolicies.
package manifest
