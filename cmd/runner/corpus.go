// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"

	"github.com/spf13/cobra"

	"zfsbench.io/operator/internal/tools/builtin"
	"zfsbench.io/operator/internal/tools/corpus"
	"zfsbench.io/operator/internal/tools/corpus/work"
)

// corpusCommand is what the runner executes in a sandbox for a corpus workload.
func corpusCommand() *cobra.Command {
	o := work.Options{Status: os.Stdout}
	var report string
	var parts []string
	var from work.Copy
	cmd := &cobra.Command{
		Use: corpus.Subcommand, Hidden: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			for _, text := range parts {
				p, err := corpus.ParsePart(text)
				if err != nil {
					return err
				}
				o.Parts = append(o.Parts, p)
			}
			if from.Source != "" {
				o.Copy = &from
			}
			measured, data, err := work.Run(o)
			return leaveReport(report, builtin.Report{Phases: measured, Data: data}, err)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Directory, "directory", "", "where the files are made")
	flags.StringVar(&report, "report", "", "file that gets the report")
	flags.StringSliceVar(&parts, "parts", nil, "kinds of data, each with its bytes and copies, as Text:1048576:1")
	flags.Int64Var(&o.FileBytes, "file-size", 0, "size of each file, in bytes")
	flags.Uint64Var(&o.Seed, "seed", 0, "seed of the files' data")
	flags.StringVar(&from.Source, "source", "", "root of the files that are copied instead of making parts")
	flags.StringVar(&from.Path, "path", "/", "directory below source")
	flags.Int64Var(&from.LimitBytes, "limit", 0, "most bytes of all files that are copied")
	require(cmd, "directory", "report")
	cmd.MarkFlagsOneRequired("parts", "source")
	cmd.MarkFlagsRequiredTogether("parts", "file-size")
	cmd.MarkFlagsRequiredTogether("source", "limit")
	cmd.MarkFlagsMutuallyExclusive("parts", "source")
	return cmd
}
