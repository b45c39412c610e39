// SPDX-License-Identifier: Apache-2.0

package iozone

import (
	"fmt"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
)

// kibibyte is the unit that iozone calls kB, in sizes and rates.
const kibibyte = 1 << 10

// Argv is the command that measures a workload in a directory.
func Argv(w v1alpha1.IozoneWorkload, directory string) []string {
	argv := []string{"iozone", "-s", fmt.Sprintf("%dk", w.Size.Value()/kibibyte), "-r",
		fmt.Sprintf("%dk", w.RecordBytes()/kibibyte)}
	for _, t := range w.AllTests() {
		argv = append(argv, "-i", fmt.Sprint(slices.Index(v1alpha1.IozoneTests(), t)))
	}
	for _, option := range []struct {
		set   bool
		words []string
	}{
		{w.IncludeFlush, []string{"-e"}}, {w.IncludeClose, []string{"-c"}}, {w.Sync, []string{"-o"}},
		{w.Direct, []string{"-I"}},
		// Of its buffers 0 percent occur more than once, for which iozone fills them with random numbers.
		{w.RandomData, []string{"-+w", "0"}},
	} {
		if option.set {
			argv = append(argv, option.words...)
		}
	}
	if w.Threads <= 1 {
		return append(argv, "-f", directory+"/iozone")
	}
	// -C prints how much each of them has moved.
	argv = append(argv, "-C", "-t", fmt.Sprint(w.Threads), "-F")
	for i := range w.Threads {
		argv = append(argv, fmt.Sprintf("%s/iozone%d", directory, i))
	}
	return argv
}

// Tasks is how many processes it starts.
func Tasks(w v1alpha1.IozoneWorkload) int { return 1 + int(max(1, w.Threads)) }
