// Package cli is devcluster's command line.
package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"zfsbench.io/operator/hack/devcluster/cluster"
)

// Main runs the command line and returns the exit code: a program on a node passes its own on.
func Main(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second interrupt ends the process without cleaning up.
	context.AfterFunc(ctx, stop)
	root, err := newRoot()
	if err == nil {
		root.SetArgs(args)
		err = root.ExecuteContext(ctx)
	}
	var exit *cluster.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.Signal == "":
		return exit.ExitCode
	}
	fmt.Fprintf(os.Stderr, "devcluster: %v\n", err)
	return 1
}

func newRoot() (*cobra.Command, error) {
	options, err := cluster.DefaultOptions()
	if err != nil {
		return nil, err
	}
	root := &cobra.Command{
		Use:   "devcluster",
		Short: "A development cluster with real OpenZFS",
		Long: "Runs a real Kubernetes cluster whose storage nodes are virtual machines with real OpenZFS.\n" +
			"Everything is built from the package registries, kept in the cache directory, and never built twice.",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.PersistentFlags().StringVar(&options.KubernetesModule, "kubernetes-module", options.KubernetesModule,
		"directory whose go.mod pins the Kubernetes version")
	root.AddCommand(
		upCommand(&options),
		downCommand(&options),
		statusCommand(&options),
		kubeconfigCommand(&options),
		assetsCommand(&options),
		testToolsCommand(&options),
		nodeCommand(&options),
		apiCommand(&options),
		diskCommand(&options),
		loadCommand(&options),
		imagesCommand(&options),
		treeCommand(&options),
		cleanCommand(&options),
	)
	return root, nil
}
