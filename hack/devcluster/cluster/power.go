package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"

	"zfsbench.io/operator/hack/devcluster/internal/qemu"
)

// Reboot restarts the node in an orderly way and returns when it is Ready again after a new boot. Disks keep
// their contents.
func (n *Node) Reboot(ctx context.Context) error {
	before, err := n.bootID(ctx)
	if err != nil {
		return fmt.Errorf("reboot %s: %w", n.name, err)
	}
	err = n.changePower(ctx, func(state, nodeState) error {
		_, _, err := n.Run(ctx, Command{Args: []string{"systemctl", "reboot"}})
		// The node may be gone before it has said that the command succeeded.
		var failed *ExitError
		if errors.As(err, &failed) || errors.Is(err, ErrPoweredOff) || ctx.Err() != nil {
			return err
		}
		return nil
	})
	if err == nil {
		err = n.waitBoot(ctx, before)
	}
	if err != nil {
		return fmt.Errorf("reboot %s: %w", n.name, err)
	}
	return nil
}

// Start powers the node on and returns when it is Ready after a new boot. A node that is on is left alone and
// only waited for.
func (n *Node) Start(ctx context.Context) error {
	err := n.changePower(ctx, func(s state, node nodeState) error { return startNode(n.cluster.run, s, node) })
	if err == nil {
		err = n.WaitReady(ctx)
	}
	if err != nil {
		return fmt.Errorf("start %s: %w", n.name, err)
	}
	return nil
}

// Kill powers the node off as a power failure would and returns when its machine is gone: what the node had not
// flushed is lost. A node that is off is no error.
func (n *Node) Kill(ctx context.Context) error {
	err := n.changePower(ctx, func(state, nodeState) error {
		n.disconnect()
		return n.cluster.run.daemons().Stop(ctx, qemu.DaemonName(n.name), syscall.SIGKILL)
	})
	if err != nil {
		return fmt.Errorf("kill %s: %w", n.name, err)
	}
	return nil
}

// WaitReady returns when the node answers and the API reports it as Ready in its present boot: just after a
// power failure the API still reports the boot before.
func (n *Node) WaitReady(ctx context.Context) error {
	return n.waitBoot(ctx, "")
}

// changePower calls change with the cluster locked.
func (n *Node) changePower(ctx context.Context, change func(state, nodeState) error) error {
	return n.cluster.withState(ctx, func(s state) error {
		node, err := s.node(n.name)
		if err != nil {
			return err
		}
		return change(s, node)
	})
}

// waitBoot returns when the node runs under another boot ID than the given one and the API reports it as Ready
// under that.
func (n *Node) waitBoot(ctx context.Context, before string) error {
	var current string
	err := n.cluster.poll(ctx, nodeTimeout, []string{qemu.DaemonName(n.name)}, func(ctx context.Context) (bool, error) {
		ctx, cancel := context.WithTimeout(ctx, bootIDTimeout)
		defer cancel()
		var err error
		current, err = n.bootID(ctx)
		if errors.Is(err, ErrPoweredOff) {
			return false, err
		}
		if err != nil || current == before {
			// Shutting down or starting. The connection, if there is one, leads to the boot that ends.
			n.disconnect()
			return false, nil
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("wait for %s to boot: %w", n.name, err)
	}
	return n.cluster.waitNode(ctx, n.name, func(node *corev1.Node) bool {
		return isReady(node) && node.Status.NodeInfo.BootID == current
	})
}

// bootIDTimeout bounds one question to a node that may be about to go.
const bootIDTimeout = 30 * time.Second

// bootID asks the node itself.
func (n *Node) bootID(ctx context.Context) (string, error) {
	content, err := n.ReadFile(ctx, "/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(content)), err
}
