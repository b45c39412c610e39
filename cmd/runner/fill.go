// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"

	"github.com/spf13/cobra"

	"zfsbench.io/operator/internal/tools/builtin"
	"zfsbench.io/operator/internal/tools/fill"
	"zfsbench.io/operator/internal/tools/fill/work"
)

// fillCommand is what the runner executes in a sandbox to fill a pool.
func fillCommand() *cobra.Command {
	o := work.Options{Status: os.Stdout}
	var report string
	cmd := &cobra.Command{
		Use: fill.Subcommand, Hidden: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			measured, err := work.Run(o)
			return leaveReport(report, builtin.Report{Phases: measured}, err)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Directory, "directory", "", "where the files are")
	flags.StringVar(&report, "report", "", "file that gets the report")
	flags.Int64Var(&o.Bytes, "bytes", 0, "how much to write")
	flags.BoolVar(&o.Overwrite, "overwrite", false, "write over random records of the files that are there")
	flags.Uint64Var(&o.Seed, "seed", 0, "seed of the files' data")
	flags.Uint64Var(&o.Round, "round", 0, "which run of a workload this is")
	require(cmd, "directory", "report", "bytes")
	return cmd
}
