// SPDX-License-Identifier: Apache-2.0

// Package hostfs makes and mounts what a benchmark compares ZFS with: other filesystems and md arrays, with the node's
// own kernel and tools. It does not check who owns a device: that is the guard's task.
package hostfs
