package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"zfsbench.io/operator/hack/devcluster/internal/kubebin"
	"zfsbench.io/operator/hack/devcluster/internal/pki"
	"zfsbench.io/operator/hack/devcluster/internal/progress"
	"zfsbench.io/operator/hack/devcluster/internal/qemu"
	"zfsbench.io/operator/hack/devcluster/internal/remote"
)

// Up brings the cluster up and returns it once every node is Ready. It starts whatever is missing of a cluster
// that is there already, and builds nothing again that is there. Interrupted, it can be called again.
func Up(ctx context.Context, o Options) (*Cluster, error) {
	if err := errors.Join(checkRoot(), o.validate()); err != nil {
		return nil, fmt.Errorf("bring up: %w", err)
	}
	report := progress.New(o.Progress)
	run := runDir(o.RunDir)
	unlock, err := run.lock(ctx, report)
	if err != nil {
		return nil, fmt.Errorf("bring up: %w", err)
	}
	defer unlock()
	u := upper{options: o, run: run, report: report}
	if err := u.up(ctx); err != nil {
		return nil, fmt.Errorf("bring up: %w", err)
	}
	return newCluster(o, report)
}

// upper is one pass of Up. The run directory's lock is held throughout.
type upper struct {
	options Options
	run     runDir
	report  *progress.Reporter
	state   state
}

func (u *upper) up(ctx context.Context) error {
	if err := u.run.create(); err != nil {
		return err
	}
	if err := u.decide(ctx); err != nil {
		return err
	}
	if err := u.keys(); err != nil {
		return err
	}
	err := u.report.Step(ctx, "start processes", func(ctx context.Context) error {
		if err := u.run.namespace().Ensure(ctx, layout(u.state.Nodes)); err != nil {
			return err
		}
		if err := startControlPlane(u.run, u.state); err != nil {
			return err
		}
		return u.startNodes(ctx)
	})
	if err != nil {
		return err
	}
	return u.wait(ctx)
}

// decide takes over the decisions of a cluster that exists. Otherwise it builds the artefacts and decides.
func (u *upper) decide(ctx context.Context) error {
	s, err := u.run.readState()
	if err == nil {
		u.state = s
		if !u.options.match(s) {
			u.report.Note("the cluster is up as it was made; for other nodes or disks run down first")
		}
		return s.Artefacts.check()
	}
	if !errors.Is(err, ErrNotRunning) {
		return err
	}
	b, err := newBuilder(u.options, u.report)
	if err != nil {
		return err
	}
	built, err := b.all(ctx)
	if err != nil {
		return err
	}
	if u.state, err = u.newState(ctx, b, built); err != nil {
		return err
	}
	if err := b.prune(ctx, built); err != nil {
		return err
	}
	return u.run.writeState(u.state)
}

func (u *upper) newState(ctx context.Context, b builder, built artefacts) (state, error) {
	version, err := kubebin.Builder{KubernetesModule: b.kubernetesModule()}.Version()
	if err != nil {
		return state{}, err
	}
	port, err := freePort()
	if err != nil {
		return state{}, err
	}
	accel, err := u.probe(ctx, built)
	if err != nil {
		return state{}, err
	}
	s := state{KubernetesVersion: version.String(), Port: port, Accel: accel, Artefacts: built}
	for i := range u.options.Nodes {
		s.Nodes = append(s.Nodes, nodeState{
			Name: nodeName(i), Index: i,
			CPUs: u.options.CPUs, MemoryMiB: u.options.MemoryMiB,
			Disks: u.options.disks(i),
		})
	}
	return s, nil
}

// freePort returns a port of the loopback address that nobody listens on.
func freePort() (int, error) {
	listener, err := net.Listen("tcp", loopbackAddress+":0")
	if err != nil {
		return 0, fmt.Errorf("find free port: %w", err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

// keys makes certificates, SSH keys and kubeconfigs unless they are there.
func (u *upper) keys() error {
	if _, err := os.Stat(u.run.pki()); err != nil {
		tmp := u.run.pki() + ".tmp"
		if err := u.writeKeys(tmp); err != nil {
			return fmt.Errorf("make keys: %w", err)
		}
		if err := os.Rename(tmp, u.run.pki()); err != nil {
			return fmt.Errorf("make keys: %w", err)
		}
	}
	for file, config := range map[string]struct{ certificate, server string }{
		u.run.kubeconfig():                          {pki.Admin, fmt.Sprintf("https://%s:%d", loopbackAddress, u.state.Port)},
		u.run.path("controller-manager.kubeconfig"): {pki.ControllerManager, apiServer()},
		u.run.path("scheduler.kubeconfig"):          {pki.Scheduler, apiServer()},
	} {
		if err := pki.WriteKubeconfig(u.run.pki(), config.certificate, config.server, file); err != nil {
			return err
		}
	}
	return nil
}

func (u *upper) writeKeys(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	nodes := make([]pki.Kubelet, 0, len(u.state.Nodes))
	for _, n := range u.state.Nodes {
		nodes = append(nodes, pki.Kubelet{Name: n.Name, IP: net.ParseIP(nodeIP(n.Index))})
	}
	server := pki.APIServerSubject(net.ParseIP(gateway), net.ParseIP(kubernetesIP))
	if err := pki.Write(dir, pki.Subjects(server, nodes)); err != nil {
		return err
	}
	return remote.WriteKeys(dir)
}

func startControlPlane(run runDir, s state) error {
	for _, spec := range controlPlane(run, s) {
		if _, err := run.daemons().Ensure(spec); err != nil {
			return err
		}
	}
	return nil
}

func (u *upper) startNodes(ctx context.Context) error {
	for _, n := range u.state.Nodes {
		if err := prepareNode(ctx, u.run, u.state, n); err != nil {
			return fmt.Errorf("prepare node %s: %w", n.Name, err)
		}
		if err := startNode(u.run, u.state, n); err != nil {
			return err
		}
	}
	return nil
}

// probe finds out whether KVM runs the node's kernel, once per boot of this machine and kernel.
func (u *upper) probe(ctx context.Context, built artefacts) (qemu.Accel, error) {
	accel := qemu.TCG
	err := u.report.Step(ctx, "probe KVM", func(ctx context.Context) error {
		usable, err := probeKVM(ctx, u.options.store(), built)
		if usable {
			accel = qemu.KVM
		}
		return err
	})
	u.report.Note("processors: %s", accel)
	return accel, err
}

// check fails when something the cluster runs from is no longer in the cache.
func (a artefacts) check() error {
	server := filepath.Join(a.BinDir, kubebin.APIServer)
	for _, path := range []string{server, a.QEMUTree, a.ImageDir, a.PauseArchive, a.Forwarder} {
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("the cluster's parts are gone from the cache, run devcluster down first: %w", err)
		}
	}
	return nil
}
