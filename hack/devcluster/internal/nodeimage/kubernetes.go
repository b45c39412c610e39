package nodeimage

import (
	"encoding/json"
	"fmt"
)

// kubeletConfiguration is the same on every node. Images are loaded by hand and never pulled, so none may be
// collected.
const kubeletConfiguration = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication:
  anonymous: {enabled: false}
  webhook: {enabled: true}
  x509: {clientCAFile: /opt/zfsbench/ca.crt}
authorization: {mode: Webhook}
cgroupDriver: systemd
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
enforceNodeAllocatable: []
failSwapOn: false
imageGCHighThresholdPercent: 100
tlsCertFile: /opt/zfsbench/kubelet.crt
tlsPrivateKeyFile: /opt/zfsbench/kubelet.key
`

// proxyConfiguration returns kube-proxy's configuration file (JSON is YAML).
func (c Config) proxyConfiguration() ([]byte, error) {
	configuration := map[string]any{
		"apiVersion":       "kubeproxy.config.k8s.io/v1alpha1",
		"kind":             "KubeProxyConfiguration",
		"mode":             "nftables",
		"clusterCIDR":      c.ClusterCIDR,
		"hostnameOverride": c.NodeName,
		"clientConnection": map[string]any{"kubeconfig": "/opt/zfsbench/kube-proxy.kubeconfig"},
	}
	if c.Version.Major == 1 && c.Version.Minor < 31 {
		configuration["featureGates"] = map[string]any{"NFTablesProxyMode": true}
	}
	content, err := json.Marshal(configuration)
	if err != nil {
		return nil, fmt.Errorf("write kube-proxy configuration: %w", err)
	}
	return content, nil
}

// conflist returns the pod network's configuration. Format: Container Network Interface Specification 1.0.
func (c Config) conflist() ([]byte, error) {
	content, err := json.Marshal(map[string]any{
		"cniVersion": "1.0.0",
		"name":       "pods",
		"plugins": []any{
			map[string]any{
				"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": true, "hairpinMode": true,
				"ipam": map[string]any{
					"type":   "host-local",
					"ranges": []any{[]any{map[string]any{"subnet": c.PodCIDR}}},
					"routes": []any{map[string]any{"dst": "0.0.0.0/0"}},
				},
			},
			map[string]any{"type": "portmap", "capabilities": map[string]any{"portMappings": true}},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("write pod network configuration: %w", err)
	}
	return content, nil
}
