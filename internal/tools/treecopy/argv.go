// SPDX-License-Identifier: Apache-2.0

package treecopy

import (
	"fmt"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools/builtin"
	"zfsbench.io/operator/internal/tools/tree"
)

// Subcommand is the runner's hidden subcommand that copies trees.
const Subcommand = "copy"

// The places of what is copied and of the copy, below the workload's directory. from is where a tree workload makes its
// tree; to is not there before.
const (
	from = "/from"
	to   = "/to"
)

// LayoutArgv is the command that makes the source below a directory.
func LayoutArgv(w v1alpha1.CopyWorkload, directory, report string, seed uint64) []string {
	return tree.Argv(w.Source(), directory+from, report, seed, true)
}

// Argv is the command that copies below a directory and writes its report to a file, both absolute paths. It contains
// the number of directories and files, because counting them would fill the cache.
func Argv(w v1alpha1.CopyWorkload, directory, report string) []string {
	s := tree.ShapeOf(w.Source())
	argv := []string{
		builtin.Program, Subcommand, "--tool=" + string(w.Tool), "--from=" + tree.Top(directory+from, 0), "--to=" +
			directory + to, "--report=" + report,
		fmt.Sprintf("--inodes=%d", s.Inodes()), fmt.Sprintf("--bytes=%d", Bytes(w)),
	}
	if w.MaxTime != nil {
		argv = append(argv, "--max-time="+w.MaxTime.Duration.String())
	}
	return argv
}

// Bytes is the size of all files, at most what an int64 holds.
func Bytes(w v1alpha1.CopyWorkload) int64 {
	s := tree.ShapeOf(w.Source())
	return int64(min(float64(s.FileCount())*float64(s.FileBytes), 1<<62))
}

// ToolArgv is the command of a tool that copies a directory to one that does not exist; nil for an unknown tool.
func ToolArgv(tool v1alpha1.CopyTool, from, to string) []string {
	switch tool {
	case v1alpha1.CopyRsync:
		return []string{"rsync", "-a", from + "/", to}
	case v1alpha1.CopyCp:
		return []string{"cp", "-a", "--reflink=never", from, to}
	}
	return nil
}

// VersionArgv is the command that prints a tool's version.
func VersionArgv(tool v1alpha1.CopyTool) []string { return []string{string(tool), "--version"} }

// Version finds a tool's version after its name in the tool's output; empty if it is not there.
func Version(tool v1alpha1.CopyTool, printed string) string {
	line, _, _ := strings.Cut(printed, "\n")
	before, known := map[v1alpha1.CopyTool]string{v1alpha1.CopyRsync: "rsync version ",
		v1alpha1.CopyCp: "cp (GNU coreutils) "}[tool]
	after, found := strings.CutPrefix(strings.Join(strings.Fields(line), " "), before)
	if !known || !found {
		return ""
	}
	version, _, _ := strings.Cut(after, " ")
	return string(tool) + "-" + version
}
