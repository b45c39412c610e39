package cli

import (
	"github.com/spf13/cobra"

	"zfsbench.io/operator/hack/devcluster/cluster"
)

func loadCommand(o *cluster.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "load IMAGE-ARCHIVE...",
		Short: "Import image archives (docker-archive) on every node",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			c, err := cluster.Open(*o)
			if err != nil {
				return err
			}
			defer c.Close()
			return c.Load(command.Context(), args...)
		},
	}
}
