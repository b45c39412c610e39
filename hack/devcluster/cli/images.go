package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"zfsbench.io/operator/hack/devcluster/cluster"
)

func imagesCommand(o *cluster.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "images",
		Short: "Build the product's images from bin/ and the Dockerfiles and print their archives' paths",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			built, err := cluster.BuildImages(command.Context(), *o)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(command.OutOrStdout(), "%s\n%s\n", built.ManagerArchive, built.RunnerArchive)
			return err
		},
	}
}
