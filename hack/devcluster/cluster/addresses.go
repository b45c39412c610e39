package cluster

import (
	"fmt"

	"zfsbench.io/operator/hack/devcluster/internal/netns"
)

// The network inside the cluster's network namespace. Every node's addresses follow from its index.
const (
	bridge          = "br0"
	gateway         = "10.99.0.1"
	netmask         = "255.255.255.0"
	prefixLength    = 24
	podCIDR         = "10.244.0.0/16"
	serviceCIDR     = "10.96.0.0/16"
	kubernetesIP    = "10.96.0.1" // the first of serviceCIDR
	secureport      = 6443
	firstNodeHost   = 10
	maxNodes        = 100
	loopbackAddress = "127.0.0.1"
)

func nodeName(index int) string { return fmt.Sprintf("storage-%d", index) }
func nodeIP(index int) string   { return fmt.Sprintf("10.99.0.%d", firstNodeHost+index) }
func nodePods(index int) string { return fmt.Sprintf("10.244.%d.0/24", index) }
func nodeTap(index int) string  { return fmt.Sprintf("tap%d", index) }

// nodeMAC is in the range for locally administered addresses.
func nodeMAC(index int) string { return fmt.Sprintf("52:54:00:99:00:%02x", firstNodeHost+index) }

// apiServer is the API's URL inside the namespace.
func apiServer() string { return fmt.Sprintf("https://%s:%d", gateway, secureport) }

func layout(nodes []nodeState) netns.Layout {
	l := netns.Layout{Bridge: bridge, Address: fmt.Sprintf("%s/%d", gateway, prefixLength)}
	for _, n := range nodes {
		l.Taps = append(l.Taps, netns.Tap{Name: nodeTap(n.Index), PodCIDR: nodePods(n.Index), NodeIP: nodeIP(n.Index)})
	}
	return l
}
