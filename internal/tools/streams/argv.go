// SPDX-License-Identifier: Apache-2.0

package streams

import (
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools"
	"zfsbench.io/operator/internal/tools/builtin"
)

// Subcommand is the runner's hidden subcommand that runs streams.
const Subcommand = "streams"

// Argv is the command that measures a workload in a directory and writes its report to a file, both absolute paths.
// With layout it only writes the files.
func Argv(w v1alpha1.StreamsWorkload, directory, report string, seed uint64, layout bool) []string {
	phases := w.AllPhases()
	if layout {
		phases = []v1alpha1.StreamsPhase{v1alpha1.StreamsWrite}
	}
	return []string{
		builtin.Program, Subcommand, "--directory=" + directory, "--report=" + report, "--counts=" +
			strings.Join(tools.List(w.AllCounts()), ","), fmt.Sprintf("--size=%d", w.Size.Value()),
		fmt.Sprintf("--block-size=%d", w.BlockBytes()), "--phases=" + strings.Join(tools.List(phases), ","),
		fmt.Sprintf("--seed=%d", seed),
	}
}

// NeedsLayout says whether the files have to be written before anything is measured.
func NeedsLayout(w v1alpha1.StreamsWorkload) bool {
	return !slices.Contains(w.AllPhases(), v1alpha1.StreamsWrite)
}

// Files is how many files there are in all: one for each stream of each count.
func Files(w v1alpha1.StreamsWorkload) int64 {
	var all int64
	for _, n := range w.AllCounts() {
		all += int64(n)
	}
	return all
}

// Most is the largest number of streams at once.
func Most(w v1alpha1.StreamsWorkload) int { return int(slices.Max(w.AllCounts())) }
