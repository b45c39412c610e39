package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"zfsbench.io/operator/hack/devcluster/internal/artefact"
	"zfsbench.io/operator/hack/devcluster/internal/daemon"
	"zfsbench.io/operator/hack/devcluster/internal/netns"
	"zfsbench.io/operator/hack/devcluster/internal/progress"
	"zfsbench.io/operator/hack/devcluster/internal/qemu"
)

// ErrNotRunning means that there is no cluster in the run directory.
var ErrNotRunning = errors.New("no cluster is up: run devcluster up")

// state is what a cluster was decided to be, written before anything of it exists.
type state struct {
	KubernetesVersion string      `json:"kubernetesVersion"`
	Port              int         `json:"port"` // of the API on the machine's loopback address
	Accel             qemu.Accel  `json:"accel"`
	Artefacts         artefacts   `json:"artefacts"`
	Nodes             []nodeState `json:"nodes"`
}

type nodeState struct {
	Name      string `json:"name"`
	Index     int    `json:"index"`
	CPUs      int    `json:"cpus"`
	MemoryMiB int    `json:"memoryMiB"`
	Disks     []Disk `json:"disks"`
}

// runDir is the directory of one cluster.
type runDir string

func (r runDir) path(elements ...string) string {
	return filepath.Join(append([]string{string(r)}, elements...)...)
}

func (r runDir) stateFile() string       { return r.path("state.json") }
func (r runDir) kubeconfig() string      { return r.path("kubeconfig") }
func (r runDir) pki() string             { return r.path("pki") }
func (r runDir) node(name string) string { return r.path("nodes", name) }

// namespace is the network namespace that everything of the cluster lives in.
func (r runDir) namespace() netns.Namespace { return netns.Namespace(r.path("netns")) }

func (r runDir) daemons() daemon.Set {
	return daemon.Set{RecordDir: r.path("processes"), LogDir: r.path("log")}
}

// create makes the directories that everything else expects.
func (r runDir) create() error {
	for _, dir := range []string{"processes", "log", "nodes"} {
		if err := os.MkdirAll(r.path(dir), 0o700); err != nil {
			return fmt.Errorf("make run directory: %w", err)
		}
	}
	return nil
}

// lock keeps every other process from changing the cluster.
func (r runDir) lock(ctx context.Context, report *progress.Reporter) (unlock func(), err error) {
	if err := os.MkdirAll(string(r), 0o700); err != nil {
		return nil, fmt.Errorf("make run directory: %w", err)
	}
	return artefact.Lock(ctx, r.path("lock"), func() {
		report.Note("waiting for another devcluster command to end")
	})
}

// readState returns ErrNotRunning when there is no cluster.
func (r runDir) readState() (state, error) {
	content, err := os.ReadFile(r.stateFile())
	if errors.Is(err, fs.ErrNotExist) {
		return state{}, ErrNotRunning
	}
	if err != nil {
		return state{}, fmt.Errorf("read cluster state: %w", err)
	}
	var s state
	if err := json.Unmarshal(content, &s); err != nil {
		return state{}, fmt.Errorf("read cluster state: %w", err)
	}
	return s, nil
}

func (r runDir) writeState(s state) error {
	content, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("write cluster state: %w", err)
	}
	tmp := r.stateFile() + ".tmp"
	if err := os.WriteFile(tmp, content, 0o600); err != nil {
		return fmt.Errorf("write cluster state: %w", err)
	}
	return os.Rename(tmp, r.stateFile())
}

func (s state) node(name string) (nodeState, error) {
	for _, n := range s.Nodes {
		if n.Name == name {
			return n, nil
		}
	}
	return nodeState{}, fmt.Errorf("the cluster has no node %q", name)
}
