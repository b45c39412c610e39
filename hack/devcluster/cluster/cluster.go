package cluster

import (
	"fmt"
	"sync"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"zfsbench.io/operator/hack/devcluster/internal/progress"
)

// Cluster is a cluster that is up, or was when it was opened. It is safe for concurrent use.
type Cluster struct {
	run    runDir
	report *progress.Reporter
	config *rest.Config
	client kubernetes.Interface

	mu    sync.Mutex
	nodes map[string]*Node
}

// Open returns the cluster of the run directory, or an error that is ErrNotRunning. It starts nothing: use Up
// to be sure that every part runs.
func Open(o Options) (*Cluster, error) {
	c, err := newCluster(o, progress.New(o.Progress))
	if err != nil {
		return nil, fmt.Errorf("open cluster: %w", err)
	}
	return c, nil
}

func newCluster(o Options, report *progress.Reporter) (*Cluster, error) {
	run := runDir(o.RunDir)
	if _, err := run.readState(); err != nil {
		return nil, err
	}
	config, err := clientcmd.BuildConfigFromFlags("", run.kubeconfig())
	if err != nil {
		return nil, err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &Cluster{run: run, report: report, config: config, client: client, nodes: map[string]*Node{}}, nil
}

// Kubeconfig is the path of an administrator's kubeconfig, usable from anywhere on this machine.
func (c *Cluster) Kubeconfig() string { return c.run.kubeconfig() }

// RESTConfig returns a copy of the administrator's client configuration.
func (c *Cluster) RESTConfig() *rest.Config { return rest.CopyConfig(c.config) }

// Nodes returns every storage node.
func (c *Cluster) Nodes() ([]*Node, error) {
	s, err := c.run.readState()
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	nodes := make([]*Node, 0, len(s.Nodes))
	for _, n := range s.Nodes {
		nodes = append(nodes, c.handle(n.Name))
	}
	return nodes, nil
}

// Node returns the node of that name.
func (c *Cluster) Node(name string) (*Node, error) {
	s, err := c.run.readState()
	if err != nil {
		return nil, fmt.Errorf("find node: %w", err)
	}
	if _, err := s.node(name); err != nil {
		return nil, err
	}
	return c.handle(name), nil
}

// handle returns the one Node of that name, which keeps the connection to it.
func (c *Cluster) handle(name string) *Node {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, found := c.nodes[name]
	if !found {
		n = &Node{cluster: c, name: name}
		c.nodes[name] = n
	}
	return n
}

// Close ends the connections to the nodes. The cluster goes on running.
func (c *Cluster) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.nodes {
		n.disconnect()
	}
}
