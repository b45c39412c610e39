// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
)

// BufferBytes is the size of reads and writes, except for smaller files.
const BufferBytes = 1 << 20

// Shape is one worker's tree.
type Shape struct {
	// Levels of directories are below the top, Directories of them in each directory above the last level.
	Levels, Directories int
	// Files are in each directory, the top included.
	Files int
	// FileBytes is the size of each.
	FileBytes int64
}

// ShapeOf is the tree that a workload requests.
func ShapeOf(w v1alpha1.TreeWorkload) Shape {
	s := Shape{Levels: v1alpha1.DefaultTreeLevels, Directories: v1alpha1.DefaultTreeDirectories,
		Files: w.FilesPerDirectory(), FileBytes: w.FileBytes()}
	if w.Levels != nil {
		s.Levels = int(*w.Levels)
	}
	if w.Directories > 0 {
		s.Directories = int(w.Directories)
	}
	return s
}

// most is where counting stops, so that sums do not overflow an int64.
const most = 1 << 60

// DirectoryCount is the number of directories, the top included; at most 2^60.
func (s Shape) DirectoryCount() int64 {
	count, level := 1.0, 1.0
	for range s.Levels {
		level *= float64(s.Directories)
		count += level
	}
	return int64(min(count, most))
}

// FileCount is the number of files.
func (s Shape) FileCount() int64 {
	return int64(min(float64(s.DirectoryCount())*float64(s.Files), most))
}

// Inodes is the number of directories and files.
func (s Shape) Inodes() int64 { return s.DirectoryCount() + s.FileCount() }

// Workers is how many trees a workload has.
func Workers(w v1alpha1.TreeWorkload) int { return max(1, int(w.Workers)) }

// NeedsLayout says whether the tree has to be made before the first measured phase.
func NeedsLayout(w v1alpha1.TreeWorkload) bool { return w.AllPhases()[0] != v1alpha1.TreeCreate }

// Top is the top directory of a worker's tree, below the workload's directory.
func Top(directory string, worker int) string { return fmt.Sprintf("%s/w%d", directory, worker) }
