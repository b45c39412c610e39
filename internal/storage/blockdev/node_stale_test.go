// SPDX-License-Identifier: Apache-2.0

//go:build node

package blockdev

import (
	"strconv"
	"strings"
	"testing"

	"zfsbench.io/operator/internal/result"
)

// staleAt is where the second of two partitions begins.
const staleAt = mebibyte + minimumPartitionBytes

// TestNodeStale lets one benchmark leave a signature exactly where a partition of the next one begins: nobody sees it
// there, and the disk can be given back. It needs a disk of 160 MiB.
func TestNodeStale(t *testing.T) {
	n := newNodeDisk(t)
	if n.size < staleAt+minimumPartitionBytes+mebibyte {
		t.Fatalf("the disk has %d bytes, too few for two partitions", n.size)
	}
	tests := map[string]struct {
		leave   func(t *testing.T)
		discard bool
	}{
		"LVM2_member": {leave: n.leaveLVM(t)},
		"ext4": {leave: func(t *testing.T) {
			t.Helper()
			n.run(t, "mkfs.ext4", "-q", "-F", "-E", "offset="+strconv.Itoa(staleAt), n.path, "64M")
		}, discard: true},
	}
	for signature, test := range tests {
		t.Run(signature, func(t *testing.T) {
			n.leave(t, test.leave)
			if found := n.run(t, "blkid", "-p", "-O", strconv.Itoa(staleAt), n.path); !strings.Contains(found, signature) {
				t.Fatalf("nothing old is on the disk: blkid finds %q", found)
			}
			n.splitClean(t, test.discard)
			n.leave(t, test.leave)
			own := n.ownedInTwo()
			n.writeSome(t, own, n.mustBeBlank(t), func(table table) []extent { return []extent{table.markExtent()} })
			n.settle(t)
			if err := n.guard.Release(t.Context(), own, nodeComment); err != nil {
				t.Errorf("after a crash before the ends of the partitions were zeroed: %v", err)
			}
			n.mustBeBlank(t)
		})
	}
}

// leaveLVM returns what writes the label of an LVM physical volume.
func (n *nodeDisk) leaveLVM(t *testing.T) func(t *testing.T) {
	t.Helper()
	n.run(t, "lvm", "pvcreate", "-qq", n.path)
	n.settle(t)
	label := n.get(t, 0)[:4096]
	n.wipe(t)
	return func(t *testing.T) { t.Helper(); n.write(t, staleAt, label) }
}

// leave has a benchmark use the whole disk and leave something in its middle.
func (n *nodeDisk) leave(t *testing.T, what func(t *testing.T)) {
	t.Helper()
	own := n.owned()
	if _, err := n.guard.Partition(t.Context(), n.mustBeBlank(t), own, true); err != nil {
		t.Fatal(err)
	}
	what(t)
	n.settle(t)
	if err := n.guard.Release(t.Context(), own, nodeComment); err != nil {
		t.Fatal(err)
	}
}

// splitClean splits the disk, wants nobody to find anything in its partitions, and gives it back.
func (n *nodeDisk) splitClean(t *testing.T, discard bool) {
	t.Helper()
	own := n.ownedInTwo()
	made, err := n.guard.Partition(t.Context(), n.mustBeBlank(t), own, discard)
	if err != nil {
		t.Fatal(err)
	}
	n.run(t, "udevadm", "settle")
	for _, path := range made.Paths {
		if found := n.run(t, "wipefs", "--no-act", "--noheadings", path); found != "" {
			t.Errorf("%s, discard %t: wipefs finds %s", path, discard, found)
		}
		if known := n.run(t, "udevadm", "info", "--query=property", path); strings.Contains(known, "ID_FS_TYPE=") {
			t.Errorf("%s, discard %t: udev knows a filesystem:\n%s", path, discard, known)
		}
	}
	if err := n.guard.Release(t.Context(), own, nodeComment); err != nil {
		t.Error(err)
		n.wipe(t)
	}
}

// ownedInTwo is the record of a table with two partitions.
func (n *nodeDisk) ownedInTwo() result.OwnedDevice {
	own := n.owned()
	own.Partitions = []result.OwnedPartition{
		{Name: "d0a", GUID: newGUID(), SizeBytes: minimumPartitionBytes}, {Name: "d0b", GUID: newGUID()},
	}
	return own
}
