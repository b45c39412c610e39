// SPDX-License-Identifier: Apache-2.0

//go:build node

package blockdev

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// foreignPool is somebody else's.
const foreignPool = "zfsbench-node-foreign"

// labelBytesZFS is what the two labels at each end take.
const labelBytesZFS = 512 << 10

// poolCases are disks that OpenZFS knows.
func poolCases() map[string]deviceCase {
	whole := func(after ...string) func(*testing.T, *nodeDisk) {
		return func(t *testing.T, n *nodeDisk) {
			n.run(t, "zpool", "create", "-m", "none", "-o", "cachefile=none", foreignPool, n.want.Path)
			n.run(t, after...)
		}
	}
	labels := []Step{StepPools, StepSignatures, StepContent, StepLabels}
	return map[string]deviceCase{
		"the whole disk in an exported pool": {put: static(whole("zpool", "export", foreignPool)),
			want: []Step{StepPartitions}, text: "partition"},
		"the whole disk in a destroyed pool": {put: static(whole("zpool", "destroy", foreignPool)),
			want: []Step{StepPartitions}, text: "partition"},
		"the whole disk in an imported pool": {
			put: func(t *testing.T, n *nodeDisk) func() {
				whole("zpool", "sync", foreignPool)(t, n)
				return func() { n.run(t, "zpool", "destroy", foreignPool) }
			},
			want: []Step{StepPartitions}, text: "partition",
		},
		"labels without a table, of an exported pool": {put: static(unpartitioned("zpool", "export", foreignPool)),
			want: labels, text: "zfs"},
		"labels without a table, of a destroyed pool": {put: static(unpartitioned("zpool", "destroy", foreignPool)),
			want: labels, text: "zfs"},
		"the labels of the last 512 KiB alone": {
			put: static(func(t *testing.T, n *nodeDisk) {
				unpartitioned("zpool", "export", foreignPool)(t, n)
				n.write(t, 0, make([]byte, labelBytesZFS))
			}),
			want: labels, text: "",
		},
		"hot spare of an exported pool": {put: static(auxiliary("spare")), want: labels, text: ""},
		"L2ARC of an exported pool":     {put: static(auxiliary("cache")), want: labels, text: ""},
		"L2ARC of an imported pool": {
			put: func(t *testing.T, n *nodeDisk) func() {
				// The pool itself must not write to its cache device meanwhile.
				const interval = "/sys/module/zfs/parameters/l2arc_feed_secs"
				before := n.run(t, "cat", interval)
				n.feed(t, "3600", "tee", interval)
				file := poolFile(t, n)
				n.run(t, "zpool", "create", "-m", "none", "-o", "cachefile=none", foreignPool, file, "cache", n.want.Path)
				n.quiet(t)
				return func() {
					n.feed(t, before, "tee", interval)
					n.run(t, "zpool", "destroy", foreignPool)
				}
			},
			want: []Step{StepPartitions}, text: "partition",
		},
	}
}

// unpartitioned leaves nothing on the disk but labels, as on a disk that FreeBSD or illumos used without a table: zpool
// does not partition a loop device.
func unpartitioned(after ...string) func(*testing.T, *nodeDisk) {
	return func(t *testing.T, n *nodeDisk) {
		t.Helper()
		throughLoop(t, n, func(loop string) {
			n.run(t, "zpool", "create", "-m", "none", "-o", "cachefile=none", foreignPool, loop)
			n.run(t, after...)
		})
	}
}

// auxiliary makes the disk a spare or cache device of an exported pool whose data are elsewhere.
func auxiliary(kind string) func(*testing.T, *nodeDisk) {
	return func(t *testing.T, n *nodeDisk) {
		t.Helper()
		file := poolFile(t, n)
		throughLoop(t, n, func(loop string) {
			n.run(t, "zpool", "create", "-m", "none", "-o", "cachefile=none", foreignPool, file, kind, loop)
			n.run(t, "zpool", "export", foreignPool)
		})
	}
}

// throughLoop gives the disk to do under the name of a loop device.
func throughLoop(t *testing.T, n *nodeDisk, do func(loop string)) {
	t.Helper()
	loop := strings.TrimSpace(n.run(t, "losetup", "--find", "--show", n.want.Path))
	n.run(t, "udevadm", "settle")
	do(loop)
	n.run(t, "losetup", "--detach", loop)
}

// poolFile is a file that a pool's data can be on.
func poolFile(t *testing.T, n *nodeDisk) string {
	t.Helper()
	// Not below a directory of the test's own: its parents must be open to nobody else either, and zpool wants an absolute
	// path on a disk.
	file := filepath.Join(t.TempDir(), "vdev")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, 64*mebibyte); err != nil {
		t.Fatal(err)
	}
	return file
}
