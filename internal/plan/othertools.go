// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools/dbench"
)

// dbenchClientBytes and dbenchClientInodes are what each client of dbench 4.00 leaves of its load, measured with --skip-cleanup, and as much again for what it removes meanwhile.
const (
	dbenchClientBytes  = 2 * 21 << 20
	dbenchClientInodes = 2 * 77
)

func iozoneThreads(w v1alpha1.IozoneWorkload) float64 { return float64(max(1, w.Threads)) }

func iozoneBytes(w v1alpha1.IozoneWorkload) float64 {
	return iozoneThreads(w) * float64(w.Size.Value())
}

// estimateIozone counts each operation that goes from beginning to end at the rate of the disk, and each other at its operations, unless records are so large that the rate is the limit.
func estimateIozone(w v1alpha1.IozoneWorkload) time.Duration {
	bytes := iozoneBytes(w)
	sequential := atRate(bytes, slowBytesPerSecond)
	scattered := max(sequential, atRate(bytes/float64(w.RecordBytes()), slowIOPS))
	var total time.Duration
	for _, o := range w.Operations() {
		pass := sequential
		if o == v1alpha1.IozoneRandomRead || o == v1alpha1.IozoneRandomWrite || o == v1alpha1.IozoneBackwardRead || o == v1alpha1.IozoneStrideRead || w.Sync {
			pass = scattered
		}
		total = min(total+pass, maxTimeout)
	}
	return total
}

func fsmarkFiles(w v1alpha1.FsmarkWorkload) float64 {
	return float64(w.Filled().Files) * float64(w.Filled().Threads)
}

func fsmarkBytes(w v1alpha1.FsmarkWorkload) float64 {
	return fsmarkFiles(w) * (float64(w.Filled().FileSize.Value()) + inodeBytes)
}

// estimateFsmark counts making and removing the files, their data, and a wait for each that is synced.
func estimateFsmark(w v1alpha1.FsmarkWorkload) time.Duration {
	const madeAndRemoved = 2
	total := atRate(madeAndRemoved*fsmarkFiles(w), slowInodesPerSecond) + atRate(fsmarkBytes(w), slowBytesPerSecond)
	if w.Filled().Sync.SyncsEachFile() {
		total += atRate(fsmarkFiles(w), slowIOPS)
	}
	return min(total, maxTimeout)
}

func dbenchBytes(w v1alpha1.DbenchWorkload) float64 {
	return float64(dbench.Clients(w)) * (dbenchClientBytes + dbenchClientInodes*inodeBytes)
}

// estimateDbench counts the warm-up, a fifth of the runtime, the runtime, and that each client removes what it has made.
func estimateDbench(w v1alpha1.DbenchWorkload) time.Duration {
	return min(w.RunTime()/5+w.RunTime()+atRate(float64(dbench.Clients(w))*dbenchClientInodes, slowInodesPerSecond), maxTimeout)
}
