package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"zfsbench.io/operator/hack/devcluster/cluster"
)

func treeCommand(o *cluster.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "tree",
		Short: "Build the Debian parts (QEMU, node image with OpenZFS) and print their directories",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			trees, err := cluster.BuildTrees(command.Context(), *o)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(command.OutOrStdout(), "%s\n%s\n", trees.QEMU, trees.NodeImage)
			return err
		},
	}
}

func cleanCommand(o *cluster.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "clean",
		Short: "Remove the cache with everything that was built",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return cluster.Clean(command.Context(), *o)
		},
	}
}
