// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools/tree"
)

// The assumptions about tools that make many files. An inode takes so much, in a directory and by itself; a slow disk makes and finds so many per second.
const (
	inodeBytes          = 1 << 10
	slowInodesPerSecond = 200
	// bonnieFilesUnit is how many files bonnie++ counts as 1.
	bonnieFilesUnit = 1024
)

// workloadBytes is what a workload stores at most, inodes included.
func workloadBytes(w v1alpha1.Workload) float64 {
	switch {
	case w.Fio != nil:
		return fioBytes(*w.Fio)
	case w.Bonnie != nil:
		return bonnieBytes(*w.Bonnie)
	case w.Tree != nil:
		return treeBytes(*w.Tree)
	case w.Iozone != nil:
		return iozoneBytes(*w.Iozone)
	case w.Fsmark != nil:
		return fsmarkBytes(*w.Fsmark)
	case w.Dbench != nil:
		return dbenchBytes(*w.Dbench)
	case w.Streams != nil:
		return streamsBytes(*w.Streams)
	case w.Copy != nil:
		return copyBytes(*w.Copy)
	case w.Corpus != nil:
		return corpusBytes(*w.Corpus)
	case w.Script != nil:
		return float64(w.Script.Size.Value())
	}
	return 0
}

// bonnieBytes is the larger of the two sets of files, of which there is only one at a time.
func bonnieBytes(w v1alpha1.BonnieWorkload) float64 {
	var bytes float64
	if w.Size != nil {
		bytes = float64(w.Size.Value())
	}
	if f := w.Files; f != nil {
		bytes = max(bytes, float64(f.Count)*bonnieFilesUnit*(float64(f.MaxSize)+inodeBytes))
	}
	return bytes
}

func treeBytes(w v1alpha1.TreeWorkload) float64 {
	s := tree.ShapeOf(w)
	return float64(tree.Workers(w)) * (float64(s.Inodes())*inodeBytes + float64(s.FileCount())*float64(s.FileBytes))
}

// estimateBonnie counts each test of throughput, and six of files. Seeks are 8192.
func estimateBonnie(w v1alpha1.BonnieWorkload) time.Duration {
	var total time.Duration
	if w.Size != nil {
		const passes, seeks = 4, 8192 // writing, rewriting, which reads as well, reading
		total += atRate(passes*float64(w.Size.Value()), slowBytesPerSecond) + atRate(seeks, slowIOPS)
	}
	if f := w.Files; f != nil {
		const tests = 6
		files := float64(f.Count) * bonnieFilesUnit
		total += atRate(tests*files, slowInodesPerSecond) + atRate(tests*files*float64(f.MaxSize), slowBytesPerSecond)
	}
	return min(total, maxTimeout)
}

// estimateTree counts each phase until its limit, and making the tree before if that is not measured.
func estimateTree(w v1alpha1.TreeWorkload) time.Duration {
	s, workers := tree.ShapeOf(w), float64(tree.Workers(w))
	inodes := atRate(workers*float64(s.Inodes()), slowInodesPerSecond)
	data := atRate(workers*float64(s.FileCount())*float64(s.FileBytes), slowBytesPerSecond)
	var total time.Duration
	if tree.NeedsLayout(w) {
		total = min(inodes+data, maxTimeout)
	}
	for _, p := range w.AllPhases() {
		phase := inodes
		if p != v1alpha1.TreeStat && p != v1alpha1.TreeDelete {
			phase += data
		}
		if w.MaxTime != nil {
			phase = min(phase, w.MaxTime.Duration+atRate(maxDirtyBytes, slowBytesPerSecond))
		}
		total = min(total+phase, maxTimeout)
	}
	return total
}

// smallestFile is the size of the smallest file of which a workload has many; 0 for none.
func smallestFile(w v1alpha1.Workload) int64 {
	switch {
	case w.Fio != nil:
		return smallestFioFile(*w.Fio)
	case w.Tree != nil:
		return w.Tree.FileBytes()
	case w.Fsmark != nil:
		return w.Fsmark.Filled().FileSize.Value()
	case w.Streams != nil:
		return w.Streams.Size.Value()
	case w.Copy != nil:
		return w.Copy.Source().FileBytes()
	case w.Corpus != nil:
		return w.Corpus.FileBytes()
	}
	return 0
}
