// SPDX-License-Identifier: Apache-2.0

package bonnie

import (
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools"
)

const (
	kibibyte = 1 << 10
	mebibyte = 1 << 20
)

// Argv is the command that measures a workload in a directory. -r 0 switches bonnie++'s own check of the size against
// the memory off, -q leaves standard output to the CSV.
func Argv(w v1alpha1.BonnieWorkload, directory string, seed uint64) []string {
	return tools.Words([]string{"bonnie++", "-d", directory, "-s", size(w), "-n", files(w.Files), "-r", "0", "-x", "1",
		"-q", "-m", "zfsbench", "-z", fmt.Sprint(seed >> 33)},
		tools.Option{Set: w.Fast, Word: "-f"}, tools.Option{Set: w.Fsync, Word: "-b"},
		tools.Option{Set: w.Direct, Word: "-D"})
}

// size is in MiB; 0 leaves the tests out.
func size(w v1alpha1.BonnieWorkload) string {
	if w.Size == nil {
		return "0"
	}
	text := fmt.Sprint(w.Size.Value() / mebibyte)
	if w.ChunkSize > 0 {
		text += fmt.Sprintf(":%d", w.ChunkSize)
	}
	return text
}

// files are number, largest and smallest size, and directories; 0 leaves the tests out.
func files(f *v1alpha1.BonnieFiles) string {
	if f == nil {
		return "0"
	}
	return fmt.Sprintf("%d:%d:%d:%d", f.Count, f.MaxSize, f.MinSize, max(1, f.Directories))
}

// Tasks is more than the number of processes that bonnie++ starts: five that seek.
const Tasks = 16
