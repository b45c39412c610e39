package cli

import (
	"context"

	"github.com/spf13/cobra"

	"zfsbench.io/operator/hack/devcluster/cluster"
)

func nodeCommand(o *cluster.Options) *cobra.Command {
	command := &cobra.Command{Use: "node", Short: "Reboot, power off, start or cut off a node, or run a program on it"}
	command.AddCommand(
		execCommand(o),
		copyCommand(o),
		powerCommand(o, "reboot NODE", "Restart a node in an orderly way and wait until it is Ready", (*cluster.Node).Reboot),
		powerCommand(o, "kill NODE", "Power a node off as a power failure would", (*cluster.Node).Kill),
		powerCommand(o, "start NODE", "Power a node on and wait until it is Ready", (*cluster.Node).Start),
		powerCommand(o, "cut NODE", "Pull a node's network cable", (*cluster.Node).CutNetwork),
		powerCommand(o, "restore NODE", "Plug a node's network cable in again", (*cluster.Node).RestoreNetwork),
	)
	return command
}

func execCommand(o *cluster.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "exec NODE -- PROGRAM [ARGUMENT...]",
		Short: "Run a program on a node as root; no shell expands its arguments",
		Args:  cobra.MinimumNArgs(2),
		RunE: func(command *cobra.Command, args []string) error {
			return withNode(command, o, args[0], func(ctx context.Context, n *cluster.Node) error {
				_, _, err := n.Run(ctx, cluster.Command{
					Args:   args[1:],
					Stdin:  command.InOrStdin(),
					Stdout: command.OutOrStdout(),
					Stderr: command.ErrOrStderr(),
				})
				return err
			})
		},
	}
}

func copyCommand(o *cluster.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "copy NODE FILE PATH",
		Short: "Copy a file of this machine to a path on a node",
		Args:  cobra.ExactArgs(3),
		RunE: func(command *cobra.Command, args []string) error {
			return withNode(command, o, args[0], func(ctx context.Context, n *cluster.Node) error {
				return n.CopyFile(ctx, args[1], args[2])
			})
		},
	}
}

func powerCommand(
	o *cluster.Options, use, short string, action func(*cluster.Node, context.Context) error,
) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			return withNode(command, o, args[0], func(ctx context.Context, n *cluster.Node) error { return action(n, ctx) })
		},
	}
}

// withNode calls fn with the named node of the running cluster.
func withNode(
	command *cobra.Command, o *cluster.Options, name string, fn func(context.Context, *cluster.Node) error,
) error {
	c, err := cluster.Open(*o)
	if err != nil {
		return err
	}
	defer c.Close()
	n, err := c.Node(name)
	if err != nil {
		return err
	}
	return fn(command.Context(), n)
}
