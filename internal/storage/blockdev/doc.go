// SPDX-License-Identifier: Apache-2.0

// Package blockdev decides whether a disk may be overwritten, makes a disk or file ours, and releases it blank.
//
// Everything that can destroy data of others is here, so everything here fails closed: whatever cannot be read, run or
// understood refuses the disk. The guard only reads. Partition and Release write, each through one descriptor that
// excludes every other user of the disk, and only after they have checked the content through the same descriptor.
//
// Each check has its own file. The lists identification and freedom in blockdev.go are all checks, in their order.
//
// The tests of this package run on captured trees and on disks in memory. The tests behind the build tag node run on a
// real disk, which they overwrite; see node_test.go.
package blockdev
