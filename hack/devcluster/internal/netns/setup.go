package netns

import (
	"context"
	"fmt"
	"os"
	"strings"

	"zfsbench.io/operator/hack/devcluster/internal/command"
)

// Layout is the network inside the namespace: a bridge with the machine's side address, one tap per node, and
// a route to each node's pods.
type Layout struct {
	Bridge  string
	Address string // with prefix length
	Taps    []Tap
}

// Tap is one node's link.
type Tap struct {
	Name    string
	PodCIDR string
	NodeIP  string
}

// Ensure makes the namespace and everything in it that is missing.
func (n Namespace) Ensure(ctx context.Context, layout Layout) error {
	exists, err := n.Exists()
	if err != nil {
		return err
	}
	if !exists {
		if err := n.create(); err != nil {
			return err
		}
	}
	if err := n.ensureLinks(ctx, layout); err != nil {
		return fmt.Errorf("set up network namespace %s: %w", n, err)
	}
	// The setting belongs to the namespace of the thread that writes it.
	return n.Do(func() error { return os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0o644) })
}

func (n Namespace) ensureLinks(ctx context.Context, layout Layout) error {
	links, err := n.links(ctx)
	if err != nil {
		return err
	}
	if !links[layout.Bridge] {
		if err := n.ip(ctx, "link", "add", layout.Bridge, "type", "bridge", "forward_delay", "0"); err != nil {
			return err
		}
	}
	steps := [][]string{
		{"link", "set", "lo", "up"},
		{"link", "set", layout.Bridge, "up"},
		{"addr", "replace", layout.Address, "dev", layout.Bridge},
	}
	for _, tap := range layout.Taps {
		if !links[tap.Name] {
			steps = append(steps, []string{"tuntap", "add", "dev", tap.Name, "mode", "tap"})
		}
		steps = append(steps,
			[]string{"link", "set", tap.Name, "master", layout.Bridge},
			[]string{"link", "set", tap.Name, "up"},
			[]string{"route", "replace", tap.PodCIDR, "via", tap.NodeIP, "dev", layout.Bridge})
	}
	for _, args := range steps {
		if err := n.ip(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

// links returns the names of the links in the namespace.
func (n Namespace) links(ctx context.Context) (map[string]bool, error) {
	out, err := n.run(ctx, "ip", "-o", "link", "show")
	if err != nil {
		return nil, err
	}
	return parseLinks(out), nil
}

// parseLinks reads one link per line: "2: br0: <BROADCAST,...>", or "3: eth0@if4: <...>".
func parseLinks(out string) map[string]bool {
	links := map[string]bool{}
	for line := range strings.Lines(out) {
		if fields := strings.Fields(line); len(fields) > 1 {
			name, _, _ := strings.Cut(strings.TrimSuffix(fields[1], ":"), "@")
			links[name] = true
		}
	}
	return links
}

func (n Namespace) ip(ctx context.Context, args ...string) error {
	_, err := n.run(ctx, append([]string{"ip"}, args...)...)
	return err
}

// run runs a program inside the namespace: a process starts in the namespace of the thread that starts it.
func (n Namespace) run(ctx context.Context, args ...string) (out string, err error) {
	err = n.Do(func() error {
		out, err = command.Run(ctx, command.Spec{Args: args})
		return err
	})
	return out, err
}
