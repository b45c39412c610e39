// SPDX-License-Identifier: Apache-2.0

// Package validate finds errors in a ZfsBenchmark or a BenchmarkDevicePolicy that the CRDs cannot find: checks that
// need the expanded matrix, arithmetic over lists, or a comparison that costs too much in CEL. The objects are those
// that an API server, or internal/spec/schema in its place, has accepted. It is pure.
package validate
