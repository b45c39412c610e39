package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"zfsbench.io/operator/hack/devcluster/cluster"
)

func diskCommand(o *cluster.Options) *cobra.Command {
	command := &cobra.Command{Use: "disk", Short: "Plug a node's data disks in and out, limit and blank them"}
	command.AddCommand(diskAddCommand(o), diskRemoveCommand(o), diskThrottleCommand(o), diskBlankCommand(o))
	return command
}

func diskAddCommand(o *cluster.Options) *cobra.Command {
	disk := cluster.Disk{Throttle: o.Throttle}
	command := &cobra.Command{
		Use:   "add NODE DISK",
		Short: "Plug in a new disk, or one that was removed, with its contents",
		Args:  cobra.ExactArgs(2),
		RunE: func(command *cobra.Command, args []string) error {
			return withNode(command, o, args[0], func(ctx context.Context, n *cluster.Node) error {
				disk.Name = args[1]
				added, err := n.AddDisk(ctx, disk)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(command.OutOrStdout(), added.DevicePath())
				return err
			})
		},
	}
	command.Flags().Var(&quantity{bytes: &disk.SizeBytes}, "size", "size, such as 1Gi; needed for a new disk")
	throttleFlags(command, &disk.Throttle)
	return command
}

func diskRemoveCommand(o *cluster.Options) *cobra.Command {
	var erase bool
	command := &cobra.Command{
		Use:   "remove NODE DISK",
		Short: "Unplug a disk, in use or not",
		Args:  cobra.ExactArgs(2),
		RunE: func(command *cobra.Command, args []string) error {
			return withNode(command, o, args[0], func(ctx context.Context, n *cluster.Node) error {
				return n.RemoveDisk(ctx, args[1], erase)
			})
		},
	}
	command.Flags().BoolVar(&erase, "erase", false, "throw its contents away")
	return command
}

func diskThrottleCommand(o *cluster.Options) *cobra.Command {
	var throttle cluster.Throttle
	command := &cobra.Command{
		Use:   "throttle NODE DISK",
		Short: "Change a disk's limits at once",
		Args:  cobra.ExactArgs(2),
		RunE: func(command *cobra.Command, args []string) error {
			return withNode(command, o, args[0], func(ctx context.Context, n *cluster.Node) error {
				return n.ThrottleDisk(ctx, args[1], throttle)
			})
		},
	}
	throttleFlags(command, &throttle)
	return command
}

func diskBlankCommand(o *cluster.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "blank NODE DISK",
		Short: "Discard everything on a disk that is not in use",
		Args:  cobra.ExactArgs(2),
		RunE: func(command *cobra.Command, args []string) error {
			return withNode(command, o, args[0], func(ctx context.Context, n *cluster.Node) error {
				return n.BlankDisk(ctx, args[1])
			})
		},
	}
}

func throttleFlags(command *cobra.Command, throttle *cluster.Throttle) {
	command.Flags().Var(&quantity{bytes: &throttle.BytesPerSecond}, "bandwidth",
		"bytes per second, such as 200Mi; 0 for no limit")
	command.Flags().Int64Var(&throttle.IOPS, "iops", throttle.IOPS, "operations per second; 0 for no limit")
}
