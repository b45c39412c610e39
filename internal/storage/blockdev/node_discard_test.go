// SPDX-License-Identifier: Apache-2.0

//go:build node

package blockdev

import (
	"bytes"
	"testing"
)

// TestNodeDiscard discards a partition of a real disk: the table before it, the table behind it, and what is in no
// partition stay byte for byte, and the disk can be used again afterwards. The development cluster's disks support it.
func TestNodeDiscard(t *testing.T) {
	n := newNodeDisk(t)
	const end = mebibyte + minimumPartitionBytes
	own := n.owned()
	own.Partitions[0].SizeBytes = minimumPartitionBytes
	// Data of nobody's, in the partition and right behind it.
	mark := bytes.Repeat([]byte("zfsbench"), mebibyte/8)
	for _, offset := range []int64{20 * mebibyte, end} {
		n.put(t, offset, mark)
	}
	n.want.OverwriteUnsigned = true
	disk := n.mustBeBlank(t)
	table, err := newTable(&disk, own)
	if err != nil {
		t.Fatal(err)
	}
	made, err := n.guard.Partition(t.Context(), disk, own, true)
	if err != nil || !made.Discarded {
		t.Fatalf("made %+v, error %v", made, err)
	}
	image := table.image()
	for name, want := range map[string]extent{
		"the first MiB": {0, image.head}, "the last MiB": {n.size - mebibyte, image.tail},
		"the MiB behind the partition": {end, mark},
	} {
		if !bytes.Equal(n.get(t, want.offset), want.data) {
			t.Errorf("%s has changed", name)
		}
	}
	if err := n.guard.Prove(t.Context(), own); err != nil {
		t.Error(err)
	}
	if err := n.guard.Release(t.Context(), own, nodeComment); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(n.get(t, end), mark) {
		t.Error("giving the disk back has changed what is behind the partition")
	}
	// What was left is known now, and needs no word of the policy.
	n.want.OverwriteUnsigned = false
	n.mustBeBlank(t)
}

// put writes to the disk, as a stranger would.
func (n *nodeDisk) put(t *testing.T, offset int64, data []byte) {
	t.Helper()
	opened, err := linux{}.Open(n.path, exclusiveWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := writeAll(opened, extent{offset, data}); err != nil {
		t.Fatal(err)
	}
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
	n.settle(t)
}

// get reads a MiB of the disk.
func (n *nodeDisk) get(t *testing.T, offset int64) []byte {
	t.Helper()
	opened, err := linux{}.Open(n.path, shared)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, mebibyte)
	if _, err := opened.ReadAt(data, offset); err != nil {
		t.Fatal(err)
	}
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
	return data
}
