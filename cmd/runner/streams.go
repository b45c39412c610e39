// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"

	"github.com/spf13/cobra"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools/builtin"
	"zfsbench.io/operator/internal/tools/streams"
	"zfsbench.io/operator/internal/tools/streams/work"
)

// streamsCommand is what the runner executes in a sandbox for a streams workload.
func streamsCommand() *cobra.Command {
	o := work.Options{Status: os.Stdout}
	var report string
	var phases []string
	cmd := &cobra.Command{
		Use: streams.Subcommand, Hidden: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			for _, p := range phases {
				o.Phases = append(o.Phases, v1alpha1.StreamsPhase(p))
			}
			measured, err := work.Run(o)
			return leaveReport(report, builtin.Report{Phases: measured}, err)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Directory, "directory", "", "where the files are made")
	flags.StringVar(&report, "report", "", "file that gets the report")
	flags.Int32SliceVar(&o.Counts, "counts", nil, "numbers of streams at once")
	flags.Int64Var(&o.StreamBytes, "size", 0, "what each stream moves, in bytes")
	flags.Int64Var(&o.BlockBytes, "block-size", 0, "size of each read and write, in bytes")
	flags.StringSliceVar(&phases, "phases", nil, "what to do, in this order")
	flags.Uint64Var(&o.Seed, "seed", 0, "seed of the files' data")
	require(cmd, "directory", "report", "counts", "size", "block-size", "phases")
	return cmd
}
