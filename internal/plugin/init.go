// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"github.com/spf13/cobra"

	"zfsbench.io/operator/internal/plugin/scaffold"
)

func initCommand(o options) *cobra.Command {
	v := scaffold.Values{Name: "first"}
	cmd := &cobra.Command{
		Use:   "init [NAME] --node NODE",
		Short: "Write the manifest of a first benchmark, with comments",
		Long: `Write the manifest of a first benchmark to the standard output, with comments on what to change.

It compares two record sizes. Without --device it uses a file on the node, which needs no disk and no policy. Several
devices become a mirror. The cluster is not asked.`,
		Example: `  # On a file
  kubectl zfsbench init --node storage-0 > benchmark.yaml

  # On a mirror of two disks
  kubectl zfsbench init records --node storage-0 \
    --device /dev/disk/by-id/wwn-0x5000c500a0000001 --device /dev/disk/by-id/wwn-0x5000c500a0000002`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				v.Name = args[0]
			}
			v.Namespace = *o.config.Namespace
			text, err := scaffold.Benchmark(v)
			if err != nil {
				return err
			}
			o.printf("%s", text)
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&v.Nodes, "node", nil, "name of a node to run on; may be repeated")
	cmd.Flags().StringArrayVar(&v.Devices, "device", nil, "stable path of a disk, below /dev/disk/by-id; may be repeated")
	if err := cmd.MarkFlagRequired("node"); err != nil {
		panic(err) // a flag of this function that this function did not define
	}
	return cmd
}
