package cluster

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/hack/devcluster/internal/qemu"
)

func TestState(t *testing.T) {
	run := runDir(t.TempDir())
	if _, err := run.readState(); !errors.Is(err, ErrNotRunning) {
		t.Fatalf("empty directory: got %v, want ErrNotRunning", err)
	}
	want := state{
		KubernetesVersion: "v1.36.3", Port: 1234, Accel: qemu.TCG,
		Artefacts: artefacts{BinDir: "/b", QEMUTree: "/q", ImageDir: "/i", PauseArchive: "/p", Forwarder: "/f"},
		Nodes: []nodeState{{
			Name: "storage-0", CPUs: 2, MemoryMiB: 4096,
			Disks: []Disk{{Name: "d0", SizeBytes: gibibyte, Throttle: Throttle{BytesPerSecond: 1, IOPS: 2}}},
		}},
	}
	if err := run.writeState(want); err != nil {
		t.Fatal(err)
	}
	got, err := run.readState()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Disk{})); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
	if _, err := got.node("storage-1"); err == nil {
		t.Error("a node was found that is not there")
	}
}

func TestRemoveClusterKeepsLogs(t *testing.T) {
	run := runDir(t.TempDir())
	if err := run.create(); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"state.json", "lock", "kubeconfig", "log/etcd.log", "nodes/x"} {
		if err := os.WriteFile(run.path(file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := run.removeCluster(); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(run.path("*"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(left)
	if diff := cmp.Diff([]string{run.path("lock"), run.path("log")}, left); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
}

// The API server must get addresses on which its clients reach it, and the rest must find it.
func TestControlPlane(t *testing.T) {
	specs := controlPlane("/run", state{Port: 1234, Artefacts: artefacts{BinDir: "/bin", Forwarder: "/fwd"}})
	var names []string
	for _, spec := range specs {
		names = append(names, spec.Args[0])
		if inside := spec.Name != forwarderDaemon; inside != (spec.Namespace == "/run/netns") {
			t.Errorf("%s runs in namespace %q", spec.Name, spec.Namespace)
		}
	}
	want := []string{"/bin/etcd", "/bin/kube-apiserver", "/bin/kube-controller-manager", "/bin/kube-scheduler", "/fwd"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("programs (-want +got):\n%s", diff)
	}
	forward := specs[len(specs)-1].Args[1:]
	if diff := cmp.Diff([]string{"-listen=127.0.0.1:1234", "-namespace=/run/netns", "-target=10.99.0.1:6443"},
		forward); diff != "" {
		t.Errorf("forwarder (-want +got):\n%s", diff)
	}
}
