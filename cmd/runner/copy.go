// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/tools/treecopy"
	"zfsbench.io/operator/internal/tools/treecopy/work"
)

// copyCommand is what the runner executes in a sandbox to time the copy of a tree.
func copyCommand() *cobra.Command {
	var o work.Options
	var tool, report string
	cmd := &cobra.Command{
		Use: treecopy.Subcommand, Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Tool = v1alpha1.CopyTool(tool)
			measured, err := work.Run(cmd.Context(), hostexec.Local(), o)
			return leaveReport(report, measured, err)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&tool, "tool", "", "what copies")
	flags.StringVar(&o.From, "from", "", "directory that is copied")
	flags.StringVar(&o.To, "to", "", "directory that is made")
	flags.StringVar(&report, "report", "", "file that gets the report")
	flags.Int64Var(&o.Inodes, "inodes", 0, "directories and files that there are to copy")
	flags.Int64Var(&o.Bytes, "bytes", 0, "bytes that there are to copy")
	flags.DurationVar(&o.MaxTime, "max-time", 0, "end the copy after this time")
	require(cmd, "tool", "from", "to", "report", "inodes", "bytes")
	return cmd
}
