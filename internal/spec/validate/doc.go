// SPDX-License-Identifier: Apache-2.0

// Package validate knows what is wrong with a ZfsBenchmark or a BenchmarkDevicePolicy without looking at a node. It repeats every rule of the CRDs,
// because the runner also works without an API server, and adds those that cost too much in CEL. It is pure.
package validate
