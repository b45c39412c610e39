package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"zfsbench.io/operator/hack/devcluster/internal/daemon"
	"zfsbench.io/operator/hack/devcluster/internal/qemu"
)

// Limits after which something that should have started is said not to start. Emulation on a busy machine is
// slow; a dead process is noticed at once and does not wait for these.
const (
	apiTimeout  = 3 * time.Minute
	nodeTimeout = 10 * time.Minute
)

const pollInterval = 500 * time.Millisecond

// wait returns when the API answers and every node is Ready.
func (u *upper) wait(ctx context.Context) error {
	c, err := newCluster(u.options, u.report)
	if err != nil {
		return err
	}
	err = u.report.Step(ctx, "API ready", func(ctx context.Context) error { return c.waitAPI(ctx, u.state) })
	if err != nil {
		return err
	}
	defer c.Close()
	for _, n := range u.state.Nodes {
		err := u.report.Step(ctx, "node "+n.Name+" Ready", c.handle(n.Name).WaitReady)
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) waitAPI(ctx context.Context, s state) error {
	var daemons []string
	for _, spec := range controlPlane(c.run, s) {
		daemons = append(daemons, spec.Name)
	}
	var last error
	err := c.poll(ctx, apiTimeout, daemons, func(ctx context.Context) (bool, error) {
		_, last = c.client.(*kubernetes.Clientset).RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the API: %w", errors.Join(err, last))
	}
	return nil
}

// waitNode returns when the node's object satisfies want. It fails at once when the node's machine is off.
func (c *Cluster) waitNode(ctx context.Context, name string, want func(*corev1.Node) bool) error {
	var node *corev1.Node
	var last error
	err := c.poll(ctx, nodeTimeout, []string{qemu.DaemonName(name)}, func(ctx context.Context) (bool, error) {
		node, last = c.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		return last == nil && want(node), nil
	})
	switch {
	case err == nil:
		return nil
	case last != nil:
		return fmt.Errorf("wait for node %s: %w", name, errors.Join(err, last))
	default:
		return fmt.Errorf("wait for node %s, last seen %s: %w", name, readyMessage(node), err)
	}
}

// poll calls condition until it is true, while all the named processes run.
func (c *Cluster) poll(
	ctx context.Context, limit time.Duration, daemons []string, condition wait.ConditionWithContextFunc,
) error {
	return wait.PollUntilContextTimeout(ctx, pollInterval, limit, true, func(ctx context.Context) (bool, error) {
		for _, name := range daemons {
			if err := checkDaemon(c.run.daemons(), name); err != nil {
				return false, err
			}
		}
		return condition(ctx)
	})
}

// checkDaemon fails, with the end of its log, when the process does not run.
func checkDaemon(daemons daemon.Set, name string) error {
	_, running, err := daemons.Running(name)
	if err != nil || running {
		return err
	}
	return fmt.Errorf("%s does not run; the end of %s:\n%s", name, daemons.LogPath(name), logTail(daemons.LogPath(name)))
}

func logTail(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	const last = 10
	if len(lines) > last {
		lines = lines[len(lines)-last:]
	}
	return strings.Join(lines, "\n")
}

func isReady(node *corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

func readyMessage(node *corev1.Node) string {
	if node == nil {
		return "never"
	}
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return fmt.Sprintf("Ready=%s, boot %s: %s", condition.Status, node.Status.NodeInfo.BootID, condition.Message)
		}
	}
	return "registered, without a condition"
}
