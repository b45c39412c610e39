// SPDX-License-Identifier: Apache-2.0

package fsmark

import (
	"fmt"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
)

// Argv is the command that measures a workload in a directory. log is a file for the threads' numbers, which fs_mark
// prints as well. Its buffers for paths have 40 bytes, which "/target/fsmark00" and a subdirectory fit into.
func Argv(w v1alpha1.FsmarkWorkload, directory, log string) []string {
	w = w.WithDefaults()
	argv := []string{"fs_mark", "-v"}
	for i := range w.Directories {
		argv = append(argv, "-d", fmt.Sprintf("%s/fsmark%02d", directory, i))
	}
	argv = append(argv, "-n", fmt.Sprint(w.Files), "-s", fmt.Sprint(w.FileSize.Value()), "-w", fmt.Sprint(w.WriteSize),
		"-t", fmt.Sprint(w.Threads),
		"-S", fmt.Sprint(slices.Index(v1alpha1.FsmarkSyncs(), w.Sync)))
	if w.Subdirectories > 0 {
		argv = append(argv, "-D", fmt.Sprint(w.Subdirectories), "-N", "1")
	}
	return append(argv, "-l", log)
}

// nameBytes is an upper bound of the memory that a thread keeps for each of its files: names and paths.
const nameBytes = 512

// Tasks is the number of processes that fs_mark starts.
func Tasks(w v1alpha1.FsmarkWorkload) int { return 1 + int(w.WithDefaults().Threads) }

// DataBytes is the private memory that each process needs for the names of its files, in bytes.
func DataBytes(w v1alpha1.FsmarkWorkload) int64 { return nameBytes * int64(w.WithDefaults().Files) }
