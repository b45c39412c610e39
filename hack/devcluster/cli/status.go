package cli

import (
	"github.com/spf13/cobra"

	"zfsbench.io/operator/hack/devcluster/cluster"
)

func statusCommand(o *cluster.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show the cluster's processes, nodes and disks",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			status, err := cluster.GetStatus(command.Context(), *o)
			if err != nil {
				return err
			}
			return status.Write(command.OutOrStdout())
		},
	}
}
