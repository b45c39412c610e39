package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/hack/devcluster/internal/daemon"
	"zfsbench.io/operator/hack/devcluster/internal/qemu"
)

// Status is what is there of a cluster.
type Status struct {
	Up                bool // false when there is no cluster at all
	KubernetesVersion string
	Kubeconfig        string
	Components        []ComponentStatus
	Nodes             []NodeStatus
}

// ComponentStatus is a process.
type ComponentStatus struct {
	Name    string
	PID     int
	Running bool
}

// NodeStatus is a storage node.
type NodeStatus struct {
	Name    string
	Machine ComponentStatus
	Accel   string
	Ready   string // True, False, Unknown, or why it is not known
	Disks   []Disk
}

// statusTimeout bounds the question to an API that may not answer.
const statusTimeout = 5 * time.Second

// GetStatus looks at the cluster without changing anything.
func GetStatus(ctx context.Context, o Options) (Status, error) {
	run := runDir(o.RunDir)
	s, err := run.readState()
	if errors.Is(err, ErrNotRunning) {
		return Status{}, nil
	}
	if err != nil {
		return Status{}, fmt.Errorf("get status: %w", err)
	}
	status := Status{Up: true, KubernetesVersion: s.KubernetesVersion, Kubeconfig: run.kubeconfig()}
	for _, spec := range controlPlane(run, s) {
		component, err := componentStatus(run.daemons(), spec.Name)
		if err != nil {
			return Status{}, fmt.Errorf("get status: %w", err)
		}
		status.Components = append(status.Components, component)
	}
	ready := readiness(ctx, o)
	for _, n := range s.Nodes {
		machine, err := componentStatus(run.daemons(), qemu.DaemonName(n.Name))
		if err != nil {
			return Status{}, fmt.Errorf("get status: %w", err)
		}
		status.Nodes = append(status.Nodes, NodeStatus{
			Name: n.Name, Machine: machine, Accel: string(s.Accel), Ready: ready(n.Name), Disks: n.Disks,
		})
	}
	return status, nil
}

func componentStatus(daemons daemon.Set, name string) (ComponentStatus, error) {
	record, running, err := daemons.Running(name)
	return ComponentStatus{Name: name, PID: record.PID, Running: running}, err
}

// readiness asks the API once for all nodes.
func readiness(ctx context.Context, o Options) func(node string) string {
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	c, err := Open(o)
	if err != nil {
		return func(string) string { return "API not configured" }
	}
	nodes, err := c.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return func(string) string { return "API does not answer" }
	}
	states := map[string]string{}
	for _, node := range nodes.Items {
		for _, condition := range node.Status.Conditions {
			if condition.Type == "Ready" {
				states[node.Name] = string(condition.Status)
			}
		}
	}
	return func(name string) string {
		if state, found := states[name]; found {
			return state
		}
		return "not registered"
	}
}

// Write prints the status as tables.
func (s Status) Write(out io.Writer) error {
	if !s.Up {
		_, err := fmt.Fprintln(out, "no cluster")
		return err
	}
	components := [][]string{{"COMPONENT", "PID", "STATE"}}
	for _, c := range s.Components {
		components = append(components, []string{c.Name, c.pid(), c.state()})
	}
	nodes := [][]string{{"NODE", "PID", "STATE", "READY", "PROCESSORS"}}
	disks := [][]string{{"NODE", "DISK", "SIZE", "BANDWIDTH", "IOPS", "DEVICE"}}
	for _, n := range s.Nodes {
		nodes = append(nodes, []string{n.Name, n.Machine.pid(), n.Machine.state(), n.Ready, n.Accel})
		for _, d := range n.Disks {
			disks = append(disks, []string{
				n.Name, d.Name, iec(d.SizeBytes),
				limit(d.Throttle.BytesPerSecond, iec(d.Throttle.BytesPerSecond)+"/s"),
				limit(d.Throttle.IOPS, fmt.Sprint(d.Throttle.IOPS)), d.DevicePath(),
			})
		}
	}
	for _, table := range [][][]string{components, nodes, disks} {
		if err := writeTable(out, table); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "Kubernetes %s\nkubeconfig %s\n", s.KubernetesVersion, s.Kubeconfig)
	return err
}

// writeTable prints aligned columns and an empty line.
func writeTable(out io.Writer, rows [][]string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out)
	return err
}

func (c ComponentStatus) pid() string {
	if !c.Running {
		return "-"
	}
	return fmt.Sprint(c.PID)
}

func (c ComponentStatus) state() string {
	if c.Running {
		return "running"
	}
	return "stopped"
}

func limit(value int64, text string) string {
	if value == 0 {
		return "unlimited"
	}
	return text
}

func iec(bytes int64) string {
	return strings.TrimSpace(resource.NewQuantity(bytes, resource.BinarySI).String() + "B")
}
