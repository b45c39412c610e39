// SPDX-License-Identifier: Apache-2.0

// Package registry lists the workload tools. It knows nothing else about them. It is pure.
package registry
