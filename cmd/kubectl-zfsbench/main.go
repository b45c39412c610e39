// SPDX-License-Identifier: Apache-2.0

// Command kubectl-zfsbench is a kubectl plugin: it writes, previews and runs benchmarks with the user's own rights.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"zfsbench.io/operator/internal/plugin"
)

// version is set when the program is linked.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	code := plugin.Execute(ctx, version, streams, os.Args[1:])
	stop()
	os.Exit(code)
}
