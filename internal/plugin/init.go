// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plugin/scaffold"
)

type initOptions struct {
	options
	values scaffold.Values
	file   bool
	// use is the name of a case, empty for the first benchmark.
	use string
}

func initCommand(shared options) *cobra.Command {
	o := initOptions{options: shared}
	cmd := &cobra.Command{
		Use:   "init [NAME]",
		Short: "Write the manifest of a benchmark, with comments",
		Long: `Write the manifest of a benchmark to the standard output, with comments on what to change.

The first benchmark compares two record sizes. With --case, it is the benchmark for a common use, such as postgresql or
etcd: the comments say which question it answers and how to read the answer. --case list shows them all.

Nodes and disks are those that policies offer to your namespace and that the operator found blank: of a class on every
node that has it, otherwise of one node. Without any, the first benchmark uses a file on the node, which needs no disk
and no policy; a case is refused. Several disks of the first benchmark become a mirror.

With --device or --file, and without a cluster, nothing is looked up, and --node is needed.`,
		Example: `  # On disks that policies offer
  kubectl zfsbench init --namespace team-a > benchmark.yaml

  # Is this pool fast enough for etcd?
  kubectl zfsbench init --case etcd --namespace team-a > benchmark.yaml

  # On a file
  kubectl zfsbench init --file --node storage-0 > benchmark.yaml

  # On a mirror of two disks
  kubectl zfsbench init records --node storage-0 \
    --device /dev/disk/by-id/wwn-0x5000c500a0000001 --device /dev/disk/by-id/wwn-0x5000c500a0000002`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.values.Name = args[0]
			}
			return o.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&o.values.Nodes, "node", nil, "name of a node to run on; may be repeated")
	flags.StringArrayVar(&o.values.Devices, "device", nil, "stable path of a disk, below /dev/disk/by-id; may be repeated")
	flags.StringVar(&o.use, "case", "", "a common use, such as postgresql; list shows all")
	flags.BoolVar(&o.file, "file", false, "use a file in place of disks")
	return cmd
}

func (o *initOptions) run(ctx context.Context) error {
	if o.use == "list" {
		known, err := scaffold.Cases()
		o.printf("%s", known)
		return err
	}
	o.values.Namespace = *o.config.Namespace
	write, disks := scaffold.Benchmark, 0
	if o.use == "" {
		o.values.Name = cmp.Or(o.values.Name, "first")
	} else {
		found, err := scaffold.CaseOf(o.use)
		if err != nil {
			return err
		}
		if o.file {
			return fmt.Errorf("--case %s needs disks: a file would measure the node's own filesystem", o.use)
		}
		o.values.Name = cmp.Or(o.values.Name, found.Name)
		write = func(v scaffold.Values) ([]byte, error) { return scaffold.Case(found, v) }
		if disks, err = scaffold.DisksOf(found); err != nil {
			return err
		}
	}
	if err := o.fill(ctx, &o.values, o.file, disks); err != nil {
		return err
	}
	text, err := write(o.values)
	if err != nil {
		return err
	}
	o.printf("%s", text)
	return nil
}

// fill fills in the nodes and devices that nobody gave: so many disks on each node, or what there is for 0.
func (o options) fill(ctx context.Context, v *scaffold.Values, file bool, disks int) error {
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
		return fmt.Errorf("list policies, to find disks: %w", mayNotLook(err))
	}
	storages, err := c.storages(ctx, "")
	if err != nil {
		return mayNotLook(err)
	}
	note, err := scaffold.Cluster{Policies: policies.Items, Storages: storages.items, Disks: disks}.Fill(v, c.namespace)
	if err != nil {
		return err
	}
	o.errf("%s\n", note)
	return nil
}

// mayNotLook says what to do without the right to see disks and policies.
func mayNotLook(err error) error {
	if apierrors.IsForbidden(err) {
		return refuse(fmt.Errorf("%w: name your disks with --node and --device, use --file, or ask an administrator for the "+
			"role storage-viewer of the operator", err))
	}
	return explain(err)
}
