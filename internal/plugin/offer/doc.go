// SPDX-License-Identifier: Apache-2.0

// Package offer makes a BenchmarkDevicePolicy from what a NodeStorage lists. A NodeStorage is no consent: a policy
// exists only when an administrator has created it. The package is pure.
package offer
