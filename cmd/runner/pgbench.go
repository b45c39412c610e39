// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/tools/pgbench"
	"zfsbench.io/operator/internal/tools/pgbench/work"
)

// pgbenchCommand is what the runner executes in a sandbox to start PostgreSQL and pgbench.
func pgbenchCommand() *cobra.Command {
	o := work.Options{Status: os.Stdout}
	var report, script string
	var probe, fullPageWrites bool
	var runtime time.Duration
	var sharedBuffers int64
	cmd := &cobra.Command{
		Use: pgbench.Subcommand, Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if probe {
				version, err := work.Probe(cmd.Context(), hostexec.Local())
				if err != nil {
					return err
				}
				_, err = fmt.Fprint(cmd.OutOrStdout(), version)
				return err
			}
			if o.Directory == "" || report == "" {
				return errors.New("--directory and --report are required")
			}
			o.Workload.Script, o.Workload.FullPageWrites = v1alpha1.PgbenchScript(script), &fullPageWrites
			o.Workload.Runtime = &metav1.Duration{Duration: runtime}
			o.Workload.SharedBuffers = resource.NewQuantity(sharedBuffers, resource.BinarySI)
			measured, err := work.Run(cmd.Context(), hostexec.Local(), o)
			return leaveReport(report, measured, err)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&probe, "probe", false, "only print the version")
	flags.StringVar(&o.Directory, "directory", "", "where the database is")
	flags.StringVar(&report, "report", "", "file that gets the report")
	flags.StringVar(&script, "script", string(v1alpha1.PgbenchTPCB), "what each transaction does")
	flags.Int32Var(&o.Workload.Scale, "scale", 1, "size of the database, in units of 100,000 accounts")
	flags.Int32Var(&o.Workload.Clients, "clients", 1, "parallel clients")
	flags.DurationVar(&runtime, "runtime", time.Minute, "how long to measure")
	flags.Int64Var(&sharedBuffers, "shared-buffers", 128<<20, "the server's own cache, in bytes")
	flags.BoolVar(&fullPageWrites, "full-page-writes", true, "log whole pages after a checkpoint")
	flags.Uint64Var(&o.Seed, "seed", 0, "seed of pgbench's random numbers")
	flags.BoolVar(&o.Layout, "layout", false, "make the database and measure nothing")
	return cmd
}
