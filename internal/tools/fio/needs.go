// SPDX-License-Identifier: Apache-2.0

package fio

import "zfsbench.io/operator/api/v1alpha1"

// aioThreads is more than the helper threads that glibc gives a process for POSIX asynchronous I/O: 20.
const aioThreads = 24

// aioThreadBytes is room for the stack and the heap of one of them.
const aioThreadBytes = 8 << 20

// Needs are the resources that a run of fio takes from the node. The estimate is generous: it becomes the limits of the
// sandbox, and reaching a limit would change the results.
type Needs struct {
	// Tasks are its processes and threads, and the kernel's workers that io_uring counts as the user's.
	Tasks int
	// DataBytes is the private memory of each process beyond a small base.
	DataBytes int64
	// IOUring says that the job uses io_uring.
	IOUring bool
}

// NeedsOf returns what a workload needs. Its layout needs less. A workload for which JobFile fails needs nothing.
func NeedsOf(w v1alpha1.FioWorkload) Needs {
	var all Needs
	for _, j := range w.AllJobs() {
		n := needsOf(j.FioWorkload)
		all.Tasks += n.Tasks
		all.DataBytes = max(all.DataBytes, n.DataBytes)
		all.IOUring = all.IOUring || n.IOUring
	}
	return all
}

// needsOf is what one job needs.
func needsOf(w v1alpha1.FioWorkload) Needs {
	blocks, err := w.BlockRange()
	if err != nil || blocks.Largest > maxBlockBytes {
		return Needs{}
	}
	jobs, depth := max(1, int(w.NumJobs)), max(1, int(w.IODepth))
	// Buffers, and as much again for the structures beside them. A layout has one buffer of layoutBlockBytes or a block.
	n := Needs{Tasks: jobs, DataBytes: 2*blocks.Largest*int64(depth) + 2*layoutBlockBytes,
		IOUring: w.IOEngine == "io_uring"}
	switch w.IOEngine {
	case "io_uring":
		// A request that would block goes to a worker, at most one for each in flight.
		n.Tasks += jobs * depth
	case "posixaio":
		n.Tasks += jobs * aioThreads
		n.DataBytes += aioThreads * aioThreadBytes
	}
	if w.RW == v1alpha1.FioRandRead || w.RW == v1alpha1.FioRandWrite || w.RW == v1alpha1.FioRandRW {
		// fio keeps a map of the blocks it has touched: one bit for each, and a pyramid of one bit for 64 above it.
		n.DataBytes += w.Size.Value() / blocks.Smallest / 4
	}
	return n
}
