// SPDX-License-Identifier: Apache-2.0

//go:build node

package blockdev

import (
	"sync/atomic"
	"testing"
	"time"
)

// TestNodeScan reads a real disk as a whole: what a benchmark leaves is accepted until anybody else writes a sector,
// and the kernel counts that.
func TestNodeScan(t *testing.T) {
	n := newNodeDisk(t)
	n.want.FullScan = true
	n.mustScan(t, n.size)
	n.mustScan(t, 0)
	own := n.owned()
	if _, err := n.guard.Partition(t.Context(), n.mustBeBlank(t), own, true); err != nil {
		t.Fatal(err)
	}
	n.write(t, n.size/2, []byte("left by a benchmark"))
	n.settle(t)
	if err := n.guard.Release(t.Context(), own, nodeComment); err != nil {
		t.Fatal(err)
	}
	n.settle(t)
	n.mustScan(t, 0)
	n.write(t, unprobed(n.size), []byte{1})
	n.settle(t)
	disk := n.mustBeBlank(t)
	wantStep(t, n.guard.Scan(t.Context(), disk, func(int64) {}), StepContent)
	_, err := n.guard.Partition(t.Context(), disk, n.owned(), true)
	wantStep(t, err, StepContent)
	n.wipe(t)
	n.mustScan(t, n.size)
}

// unprobed is a byte that no probe reads.
func unprobed(sizeBytes int64) int64 {
	offsets := probeOffsets(sizeBytes)
	for i, offset := range offsets[:len(offsets)-1] {
		if offsets[i+1]-offset > probeBytes {
			return offset + probeBytes
		}
	}
	return 0 // The first byte of the disk, which every check reads.
}

// mustScan wants as many bytes to be read.
func (n *nodeDisk) mustScan(t *testing.T, want int64) {
	t.Helper()
	disk := n.mustBeBlank(t)
	var read atomic.Int64
	began := time.Now()
	if err := n.guard.Scan(t.Context(), disk, func(bytes int64) { read.Add(bytes) }); err != nil || read.Load() != want {
		t.Fatalf("read %d bytes, want %d, error %v", read.Load(), want, err)
	}
	t.Logf("%d MiB in %v", read.Load()/mebibyte, time.Since(began).Round(time.Millisecond))
}
