// SPDX-License-Identifier: Apache-2.0

// Package hostfs makes and mounts what a benchmark compares ZFS with: other filesystems and md arrays, by the node's
// own kernel and tools. Whose a device is, it does not ask: that is the guard's part.
package hostfs
