// SPDX-License-Identifier: Apache-2.0

// Package blockdev decides whether a disk may be overwritten, makes one disk or file ours, and gives it back blank.
//
// Everything that can destroy somebody's data is here, so everything here fails closed: what cannot be read, run or
// understood refuses the disk. The guard only reads. Partition and Release write, each through one descriptor that
// excludes every other user of the disk, and only after the same descriptor has shown what is there.
//
// Each check has a file of its own. The lists identification and freedom in blockdev.go are all checks, in their order.
//
// The tests of this package run on captured trees and on disks in memory. The tests behind the build tag node run on a
// real disk, which they overwrite; see node_test.go.
package blockdev
