// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plugin/scaffold"
)

func initCommand(o options) *cobra.Command {
	v := scaffold.Values{Name: "first"}
	file := false
	cmd := &cobra.Command{
		Use:   "init [NAME]",
		Short: "Write the manifest of a first benchmark, with comments",
		Long: `Write the manifest of a first benchmark to the standard output, with comments on what to change.

It compares two record sizes. Nodes and disks are those that policies offer to your namespace and that the operator
found blank: of a class on every node that has it, otherwise of one node. Without any, the benchmark uses a file on the
node, which needs no disk and no policy. Several disks become a mirror.

With --device or --file, and without a cluster, nothing is looked up, and --node is needed.`,
		Example: `  # On disks that policies offer
  kubectl zfsbench init --namespace team-a > benchmark.yaml

  # On a file
  kubectl zfsbench init --file --node storage-0 > benchmark.yaml

  # On a mirror of two disks
  kubectl zfsbench init records --node storage-0 \
    --device /dev/disk/by-id/wwn-0x5000c500a0000001 --device /dev/disk/by-id/wwn-0x5000c500a0000002`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				v.Name = args[0]
			}
			v.Namespace = *o.config.Namespace
			if err := o.fill(cmd.Context(), &v, file); err != nil {
				return err
			}
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
	cmd.Flags().BoolVar(&file, "file", false, "use a file in place of disks")
	return cmd
}

// fill fills in the nodes and devices that nobody gave.
func (o options) fill(ctx context.Context, v *scaffold.Values, file bool) error {
	found, err := o.configured()
	if err != nil {
		return err
	}
	if !found || file || len(v.Devices) > 0 {
		if file && len(v.Devices) > 0 {
			return errors.New("give either --device or --file")
		}
		if len(v.Nodes) == 0 {
			return errors.New("--node is missing: it is only looked up in a cluster, and without --device and --file")
		}
		return nil
	}
	c, err := o.cluster()
	if err != nil {
		return err
	}
	var policies v1alpha1.BenchmarkDevicePolicyList
	if err := c.List(ctx, &policies); err != nil {
		return fmt.Errorf("list policies, to find disks: %w", explain(err))
	}
	storages, err := c.storages(ctx, "")
	if err != nil {
		return err
	}
	note, err := scaffold.Cluster{Policies: policies.Items, Storages: storages.items}.Fill(v, c.namespace)
	if err != nil {
		return err
	}
	o.errf("%s\n", note)
	return nil
}
