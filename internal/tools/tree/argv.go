// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"fmt"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools"
	"zfsbench.io/operator/internal/tools/builtin"
)

// Subcommand is the runner's hidden subcommand that works on trees.
const Subcommand = "tree"

// Argv is the command that measures a workload in a directory and writes its report to a file, both absolute paths.
// With layout it only makes the tree, without time limit and without measuring.
func Argv(w v1alpha1.TreeWorkload, directory, report string, seed uint64, layout bool) []string {
	s, phases := ShapeOf(w), w.AllPhases()
	if layout {
		phases = []v1alpha1.TreePhase{v1alpha1.TreeCreate}
	}
	argv := []string{
		builtin.Program, Subcommand, "--directory=" + directory, "--report=" + report,
		fmt.Sprintf("--levels=%d", s.Levels), fmt.Sprintf("--directories=%d", s.Directories),
		fmt.Sprintf("--files=%d", s.Files), fmt.Sprintf("--file-size=%d", s.FileBytes),
		fmt.Sprintf("--workers=%d", Workers(w)), "--phases=" + strings.Join(tools.List(phases), ","),
		fmt.Sprintf("--seed=%d", seed),
	}
	if w.Fsync {
		argv = append(argv, "--fsync")
	}
	if w.MaxTime != nil && !layout {
		argv = append(argv, "--max-time="+w.MaxTime.Duration.String())
	}
	return argv
}
