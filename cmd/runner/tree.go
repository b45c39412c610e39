// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"

	"github.com/spf13/cobra"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools/builtin"
	"zfsbench.io/operator/internal/tools/tree"
	"zfsbench.io/operator/internal/tools/tree/work"
)

// treeCommand is what the runner executes in a sandbox for a tree workload.
func treeCommand() *cobra.Command {
	o := work.Options{Status: os.Stdout}
	var report string
	var phases []string
	cmd := &cobra.Command{
		Use: tree.Subcommand, Hidden: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			for _, p := range phases {
				o.Phases = append(o.Phases, v1alpha1.TreePhase(p))
			}
			measured, err := work.Run(o)
			return leaveReport(report, builtin.Report{Phases: measured}, err)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Directory, "directory", "", "where the trees are made")
	flags.StringVar(&report, "report", "", "file that gets the report")
	flags.IntVar(&o.Shape.Levels, "levels", 0, "levels of directories below the top")
	flags.IntVar(&o.Shape.Directories, "directories", 1, "directories in each directory")
	flags.IntVar(&o.Shape.Files, "files", 0, "files in each directory")
	flags.Int64Var(&o.Shape.FileBytes, "file-size", 0, "size of each file, in bytes")
	flags.IntVar(&o.Workers, "workers", 1, "parallel workers, each on its own tree")
	flags.StringSliceVar(&phases, "phases", nil, "what to do, in this order")
	flags.Uint64Var(&o.Seed, "seed", 0, "seed of the files' data")
	flags.BoolVar(&o.Fsync, "fsync", false, "call fsync for each file that is written")
	flags.DurationVar(&o.MaxTime, "max-time", 0, "end each phase after this time")
	require(cmd, "directory", "report", "phases")
	return cmd
}
