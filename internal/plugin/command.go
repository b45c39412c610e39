// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// The exit codes, which scripts depend on.
const (
	exitError       = 1
	exitFailed      = 2
	exitNotMet      = 3
	exitTimedOut    = 4
	exitRefused     = 5
	exitInterrupted = 130
)

const exitCodes = `Exit codes:
  0    done; with --wait: the benchmark is complete, and meets its thresholds if it has any
  1    another error, for example a wrong flag, or an API server that does not answer
  2    the benchmark failed
  3    the benchmark is complete, but a threshold is not met
  4    the benchmark did not finish within --timeout
  5    the benchmark is refused: it is not valid, exists already, or lacks consent
  130  interrupted; a benchmark that runs goes on`

// exitCodeError is an error that ends the program with a code of its own.
type exitCodeError struct {
	code int
	error
}

func (e exitCodeError) Unwrap() error { return e.error }

func refuse(err error) error { return exitCodeError{exitRefused, err} }

// Execute runs the command line, prints its error if there is one, and returns the exit code.
func Execute(ctx context.Context, version string, streams genericiooptions.IOStreams, args []string) int {
	return options{IOStreams: streams, poll: pollInterval}.execute(ctx, version, args)
}

// pollInterval is how often a benchmark is read while it is followed.
const pollInterval = 2 * time.Second

func (o options) execute(ctx context.Context, version string, args []string) int {
	root := o.command(version)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	o.errf("error: %v\n", err)
	var coded exitCodeError
	if errors.As(err, &coded) {
		return coded.code
	}
	if ctx.Err() != nil {
		return exitInterrupted
	}
	return exitError
}

// options are what all commands share.
type options struct {
	genericiooptions.IOStreams
	config *genericclioptions.ConfigFlags
	poll   time.Duration
}

func (o options) command(version string) *cobra.Command {
	o.config = genericclioptions.NewConfigFlags(true).WithWarningPrinter(o.IOStreams)
	root := &cobra.Command{
		Use:   "kubectl-zfsbench",
		Short: "Offer disks, and write, preview and run storage benchmarks on OpenZFS",
		Long: `Offer disks, and write, preview and run storage benchmarks on OpenZFS.

It needs the operator in the cluster, and has the rights of your kubeconfig.`,
		Example: `  # From a blank page to a report
  kubectl zfsbench init --node storage-0 > benchmark.yaml
  kubectl zfsbench plan -f benchmark.yaml
  kubectl zfsbench run -f benchmark.yaml --report report.md`,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl zfsbench"},
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	o.config.AddFlags(root.PersistentFlags())
	root.SetIn(o.In)
	root.SetOut(o.Out)
	root.SetErr(o.ErrOut)
	root.AddCommand(devicesCommand(o), allowCommand(o), initCommand(o), planCommand(o), runCommand(o))
	return root
}

// printf writes to the standard output, errf what is for people to the standard error.
func (o options) printf(format string, args ...any) { _, _ = fmt.Fprintf(o.Out, format, args...) }
func (o options) errf(format string, args ...any)   { _, _ = fmt.Fprintf(o.ErrOut, format, args...) }
