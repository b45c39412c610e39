package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"zfsbench.io/operator/hack/devcluster/internal/qemu"
	"zfsbench.io/operator/hack/devcluster/internal/remote"
)

// Command is a program to run on a node.
type Command = remote.Command

// ExitError is a program on a node that failed; it carries exit code and stderr.
type ExitError = remote.ExitError

// ErrPoweredOff means that the node's machine does not run.
var ErrPoweredOff = errors.New("the node is powered off")

// loginTimeout bounds the wait for a booting node to let us in.
const loginTimeout = 5 * time.Minute

// Node is a storage node.
type Node struct {
	cluster *Cluster
	name    string

	mu     sync.Mutex
	client *remote.Client
}

// Name is the node's name in the API, and its host name.
func (n *Node) Name() string { return n.name }

// Run runs a program on the node as root and returns what it printed. A program that fails gives an *ExitError.
// On a node that is just booting it waits; on one that is powered off it fails with ErrPoweredOff.
func (n *Node) Run(ctx context.Context, command Command) (stdout, stderr string, err error) {
	client, err := n.connect(ctx)
	if err != nil {
		return "", "", fmt.Errorf("run on %s: %w", n.name, err)
	}
	stdout, stderr, err = client.Run(ctx, command)
	if errors.Is(err, remote.ErrNoSession) {
		// The connection is from before a reboot. Nothing has run, so it is safe to begin again.
		n.disconnect()
		if client, err = n.connect(ctx); err != nil {
			return "", "", fmt.Errorf("run on %s: %w", n.name, err)
		}
		stdout, stderr, err = client.Run(ctx, command)
	}
	if err != nil {
		return stdout, stderr, fmt.Errorf("run on %s: %w", n.name, err)
	}
	return stdout, stderr, nil
}

// connect returns the connection to the node, logging in first if need be.
func (n *Node) connect(ctx context.Context) (*remote.Client, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.checkPower(); err != nil {
		return nil, err
	}
	if n.client != nil {
		return n.client, nil
	}
	endpoint, err := n.endpoint()
	if err != nil {
		return nil, err
	}
	var last error
	err = n.cluster.poll(ctx, loginTimeout, []string{qemu.DaemonName(n.name)}, func(ctx context.Context) (bool, error) {
		n.client, last = remote.Dial(ctx, endpoint)
		return last == nil, nil
	})
	if err != nil {
		return nil, errors.Join(err, last)
	}
	return n.client, nil
}

func (n *Node) disconnect() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.client != nil {
		_ = n.client.Close() // it may be dead already
		n.client = nil
	}
}

func (n *Node) endpoint() (remote.Endpoint, error) {
	s, err := n.cluster.run.readState()
	if err != nil {
		return remote.Endpoint{}, err
	}
	node, err := s.node(n.name)
	if err != nil {
		return remote.Endpoint{}, err
	}
	client, err := remote.ReadKey(n.cluster.run.pki(), remote.ClientKey)
	if err != nil {
		return remote.Endpoint{}, err
	}
	host, err := remote.ReadKey(n.cluster.run.pki(), remote.HostKey)
	if err != nil {
		return remote.Endpoint{}, err
	}
	return remote.Endpoint{
		Namespace: n.cluster.run.namespace(),
		Address:   net.JoinHostPort(nodeIP(node.Index), "22"),
		Signer:    client,
		HostKey:   host.PublicKey(),
	}, nil
}

func (n *Node) checkPower() error {
	_, running, err := n.cluster.run.daemons().Running(qemu.DaemonName(n.name))
	if err != nil {
		return err
	}
	if !running {
		return fmt.Errorf("%s: %w", n.name, ErrPoweredOff)
	}
	return nil
}
