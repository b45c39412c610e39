package netns

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/hack/devcluster/internal/command"
)

func TestParseLinks(t *testing.T) {
	const output = `1: lo: <LOOPBACK> mtu 65536 qdisc noop state DOWN mode DEFAULT group default qlen 1000\    link/loopback
2: br0: <NO-CARRIER,BROADCAST,MULTICAST,UP> mtu 1500 qdisc noqueue state DOWN mode DEFAULT group default qlen 1000\    link/ether
7: eth0@if4: <BROADCAST> mtu 1500 qdisc noop state DOWN mode DEFAULT group default qlen 1000\    link/ether
`
	want := map[string]bool{"lo": true, "br0": true, "eth0": true}
	if diff := cmp.Diff(want, parseLinks(output)); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}

// The namespace is set up twice, as by an up after an interrupted up, used, and removed twice.
func TestNamespace(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root may make network namespaces")
	}
	if _, err := os.Stat(command.LookPath("ip")); err != nil {
		t.Skip("iproute2 is not installed")
	}
	namespace := Namespace(filepath.Join(t.TempDir(), "netns"))
	t.Cleanup(func() {
		if err := namespace.Delete(); err != nil {
			t.Error(err)
		}
	})
	// What an interrupted creation leaves.
	if err := os.WriteFile(string(namespace), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	layout := Layout{
		Bridge: "br0", Address: "10.99.0.1/24",
		Taps: []Tap{{Name: "tap0", PodCIDR: "10.244.0.0/24", NodeIP: "10.99.0.10"}},
	}
	for range 2 {
		if err := namespace.Ensure(t.Context(), layout); err != nil {
			t.Fatal(err)
		}
	}
	checkDial(t, namespace)
	if err := namespace.Delete(); err != nil {
		t.Fatal(err)
	}
	if exists, err := namespace.Exists(); err != nil || exists {
		t.Errorf("after Delete it exists: %v, %v", exists, err)
	}
}

// checkDial listens on the bridge's address, which exists only inside, and connects to it.
func checkDial(t *testing.T, namespace Namespace) {
	t.Helper()
	var listener net.Listener
	err := namespace.Do(func() (err error) {
		listener, err = (&net.ListenConfig{}).Listen(context.Background(), "tcp", "10.99.0.1:0")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		conn, err := listener.Accept()
		if err == nil {
			_, _ = io.WriteString(conn, "inside")
			conn.Close()
		}
	}()
	conn, err := namespace.DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if got, err := io.ReadAll(conn); err != nil || string(got) != "inside" {
		t.Errorf("read %q, %v", got, err)
	}
}
