package cli

import (
	"context"

	"github.com/spf13/cobra"

	"zfsbench.io/operator/hack/devcluster/cluster"
)

func apiCommand(o *cluster.Options) *cobra.Command {
	command := &cobra.Command{Use: "api", Short: "Stop and start the API server"}
	action := func(use, short string, do func(*cluster.Cluster, context.Context) error) *cobra.Command {
		return &cobra.Command{
			Use: use, Short: short, Args: cobra.NoArgs,
			RunE: func(command *cobra.Command, _ []string) error {
				c, err := cluster.Open(*o)
				if err != nil {
					return err
				}
				defer c.Close()
				return do(c, command.Context())
			},
		}
	}
	command.AddCommand(
		action("stop", "Kill the API server; everything else goes on", (*cluster.Cluster).StopAPIServer),
		action("start", "Start the API server again and wait until it answers", (*cluster.Cluster).StartAPIServer),
	)
	return command
}
