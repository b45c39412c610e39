package cluster

import (
	"context"
	"fmt"
	"syscall"

	"zfsbench.io/operator/hack/devcluster/internal/kubebin"
	"zfsbench.io/operator/hack/devcluster/internal/qemu"
)

// StopAPIServer kills the API server. Everything else goes on and finds it gone. One that does not run is no error.
func (c *Cluster) StopAPIServer(ctx context.Context) error {
	err := c.withState(ctx, func(state) error {
		return c.run.daemons().Stop(ctx, kubebin.APIServer, syscall.SIGKILL)
	})
	if err != nil {
		return fmt.Errorf("stop the API server: %w", err)
	}
	return nil
}

// StartAPIServer starts the API server again and returns when it answers.
func (c *Cluster) StartAPIServer(ctx context.Context) error {
	err := c.withState(ctx, func(s state) error {
		if err := startControlPlane(c.run, s); err != nil {
			return err
		}
		return c.waitAPI(ctx, s)
	})
	if err != nil {
		return fmt.Errorf("start the API server: %w", err)
	}
	return nil
}

// withState calls do with the cluster locked.
func (c *Cluster) withState(ctx context.Context, do func(state) error) error {
	unlock, err := c.run.lock(ctx, c.report)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := c.run.readState()
	if err != nil {
		return err
	}
	return do(s)
}

// CutNetwork pulls the node's network cable: the node runs on, and nobody reaches it, Run neither.
func (n *Node) CutNetwork(ctx context.Context) error { return n.setLink(ctx, false) }

// RestoreNetwork plugs the cable in again.
func (n *Node) RestoreNetwork(ctx context.Context) error { return n.setLink(ctx, true) }

func (n *Node) setLink(ctx context.Context, up bool) error {
	n.disconnect()
	if err := n.monitor(ctx, func(q *qemu.QMP) error { return q.SetLink(up) }); err != nil {
		return fmt.Errorf("network of %s: %w", n.name, err)
	}
	return nil
}
