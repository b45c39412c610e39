// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"errors"
	"strings"

	"zfsbench.io/operator/internal/node/hostexec"
)

// ToolVersion is a program that the runner needs.
type ToolVersion struct {
	Name string
	// OnNode says that it is the node's own; the others come with the runner.
	OnNode bool
	// Version is the version that the program prints, "present" if it prints none, or empty if it cannot be started.
	Version string
	// Err is why it cannot be started.
	Err error
}

// present stands for the version of a program that does not print one.
const present = "present"

// FindTools starts every program that the runner needs, except the workloads' tools, to find out whether it is there
// and which version it has. It changes nothing.
func FindTools(ctx context.Context, local, host hostexec.Runner) []ToolVersion {
	var found []ToolVersion
	for _, tool := range []struct {
		onNode bool
		argv   []string
	}{
		{true, []string{"zpool", "version"}},
		{true, []string{"zfs", "version"}},
		{true, []string{"zdb", "--help"}}, // it has no option for its version
		{true, []string{"udevadm", "--version"}},
		{false, []string{"blkid", "--version"}},
		{false, []string{"wipefs", "--version"}},
		{false, []string{"lsblk", "--version"}},
	} {
		runner := local
		if tool.onNode {
			runner = host
		}
		version := ToolVersion{Name: tool.argv[0], OnNode: tool.onNode}
		result, err := runner.Run(ctx, hostexec.Cmd{Args: tool.argv})
		// A program that fails is there all the same: zpool and zfs fail without a module, zdb after its help.
		var exit *hostexec.ExitError
		if err == nil || errors.As(err, &exit) && exit.Err == nil {
			version.Version = parseToolVersion(tool.argv[0], string(result.Stdout))
		} else {
			version.Err = err
		}
		found = append(found, version)
	}
	return found
}

// parseToolVersion finds the version in what a program prints, like "zfs-2.3.9", "blkid from util-linux 2.41.5
// (libblkid 2.41.5)" and "257".
func parseToolVersion(name, output string) string {
	first, _, _ := strings.Cut(output, "\n")
	if name == "zdb" {
		return present
	}
	_, after, found := strings.Cut(first, "util-linux ")
	switch {
	case found:
		first = after
	default:
		first = strings.TrimPrefix(first, "zfs-")
	}
	words := strings.Fields(first)
	if len(words) == 0 || !strings.ContainsAny(words[0][:1], "0123456789") {
		return present
	}
	return words[0]
}
