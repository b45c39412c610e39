// SPDX-License-Identifier: Apache-2.0

// Command runner executes benchmark plans on a storage node: in the operator's Jobs, or by hand without Kubernetes.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/runner"
)

// version is set when the program is linked.
var version = "dev"

// errNotComplete ends the program with an exit code, after the reason has been reported.
var errNotComplete = errors.New("the benchmark did not complete")

func main() {
	ctx, stop := untilSignal(context.Background())
	err := command().ExecuteContext(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "runner:", err)
		os.Exit(1)
	}
}

// untilSignal ends the context at the first SIGTERM or SIGINT, so that the runner tears down; a second one kills the
// process, and the next runner tears down.
func untilSignal(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-signals
		signal.Stop(signals)
		cancel(runner.ErrInterrupted)
	}()
	return ctx, func() { cancel(nil) }
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:           "runner",
		Short:         "Run storage benchmarks on OpenZFS pools that are created for them and destroyed after them",
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(executeCommand(), cleanupCommand(), runCommand(), discoverCommand(), sandboxCommand(), holdCommand(),
		installHolderCommand(), lookCommand(), copyCommand(), corpusCommand(), fillCommand(), pgbenchCommand(),
		streamsCommand(), treeCommand())
	root.CompletionOptions.DisableDefaultCmd = true
	return root
}

// sandboxCommand is what the runner executes as the first process of a sandbox.
func sandboxCommand() *cobra.Command {
	return &cobra.Command{
		Use: sandbox.Subcommand, Hidden: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return sandbox.Init() },
	}
}

// logger writes messages of at least this level to standard error.
func logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
}
