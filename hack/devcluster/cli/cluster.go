package cli

import (
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/hack/devcluster/cluster"
)

func upCommand(o *cluster.Options) *cobra.Command {
	command := &cobra.Command{
		Use:   "up",
		Short: "Bring the cluster up, or what is missing of it, and wait until its nodes are Ready",
		Args:  cobra.NoArgs,
	}
	size := quantity{bytes: &o.DiskSizeBytes}
	rate := quantity{bytes: &o.Throttle.BytesPerSecond}
	flags := command.Flags()
	flags.IntVar(&o.Nodes, "nodes", o.Nodes, "number of storage nodes")
	flags.IntVar(&o.CPUs, "cpus", o.CPUs, "processors of each node")
	flags.IntVar(&o.MemoryMiB, "memory-mib", o.MemoryMiB, "memory of each node in MiB")
	flags.IntVar(&o.DisksPerNode, "disks", o.DisksPerNode, "data disks of each node")
	flags.Var(&size, "disk-size", "size of each data disk")
	flags.Var(&rate, "disk-bandwidth", "limit of each data disk per second, 0 for none")
	flags.Int64Var(&o.Throttle.IOPS, "disk-iops", o.Throttle.IOPS,
		"limit of each data disk's operations per second, 0 for none")
	command.RunE = func(command *cobra.Command, _ []string) error {
		c, err := cluster.Up(command.Context(), *o)
		if err != nil {
			return err
		}
		defer c.Close()
		fmt.Fprintln(command.OutOrStdout(), c.Kubeconfig())
		return nil
	}
	return command
}

func downCommand(o *cluster.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "down",
		Short: "Remove the cluster: processes, network, disks. What was built stays in the cache",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return cluster.Down(command.Context(), *o)
		},
	}
}

func kubeconfigCommand(o *cluster.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "kubeconfig",
		Short: "Print the path of the administrator's kubeconfig",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			c, err := cluster.Open(*o)
			if err != nil {
				return err
			}
			fmt.Fprintln(command.OutOrStdout(), c.Kubeconfig())
			return nil
		},
	}
}

func assetsCommand(o *cluster.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "assets",
		Short: "Build kube-apiserver, etcd and kubectl and print their directory, for KUBEBUILDER_ASSETS",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			dir, err := cluster.Assets(command.Context(), *o)
			if err != nil {
				return err
			}
			fmt.Fprintln(command.OutOrStdout(), dir)
			return nil
		},
	}
}

func testToolsCommand(o *cluster.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "test-tools",
		Short: "Install the measuring tools that the unit tests run, or say how",
		Args:  cobra.NoArgs,
		RunE:  func(command *cobra.Command, _ []string) error { return cluster.InstallTestTools(command.Context(), *o) },
	}
}

// quantity is a flag such as 1Gi.
type quantity struct{ bytes *int64 }

func (q *quantity) String() string {
	if q.bytes == nil {
		return ""
	}
	return resource.NewQuantity(*q.bytes, resource.BinarySI).String()
}

func (q *quantity) Set(s string) error {
	parsed, err := resource.ParseQuantity(s)
	if err != nil {
		return err
	}
	*q.bytes = parsed.Value()
	return nil
}

func (q *quantity) Type() string { return "quantity" }
