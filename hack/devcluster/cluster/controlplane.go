package cluster

import (
	"fmt"
	"path/filepath"

	"zfsbench.io/operator/hack/devcluster/internal/daemon"
	"zfsbench.io/operator/hack/devcluster/internal/kubebin"
	"zfsbench.io/operator/hack/devcluster/internal/pki"
)

// forwarderDaemon is the forwarder's process name.
const forwarderDaemon = "forwarder"

const etcdURL = "http://127.0.0.1:2379"

// controlPlane returns the processes of the control plane in the order in which they start; they stop in the
// reverse order. In particular the API server stops before etcd: without it, it lingers for a minute.
func controlPlane(run runDir, s state) []daemon.Spec {
	specs := []daemon.Spec{
		{Name: kubebin.Etcd, Args: etcdArgs(run)},
		{Name: kubebin.APIServer, Args: apiServerArgs(run)},
		{Name: kubebin.ControllerManager, Args: controllerManagerArgs(run)},
		{Name: kubebin.Scheduler, Args: []string{"--kubeconfig=" + run.path("scheduler.kubeconfig"), "--leader-elect=false"}},
	}
	for i := range specs {
		specs[i].Namespace = run.namespace()
		specs[i].Args = append([]string{filepath.Join(s.Artefacts.BinDir, specs[i].Name)}, specs[i].Args...)
	}
	return append(specs, forwarderSpec(run, s))
}

func forwarderSpec(run runDir, s state) daemon.Spec {
	return daemon.Spec{
		Name: forwarderDaemon,
		Args: []string{
			s.Artefacts.Forwarder,
			fmt.Sprintf("-listen=%s:%d", loopbackAddress, s.Port),
			"-namespace=" + string(run.namespace()),
			fmt.Sprintf("-target=%s:%d", gateway, secureport),
		},
	}
}

func etcdArgs(run runDir) []string {
	return []string{
		"--data-dir=" + run.path("etcd"),
		// The data does not outlive the cluster.
		"--unsafe-no-fsync",
		"--listen-client-urls=" + etcdURL, "--advertise-client-urls=" + etcdURL,
		"--listen-peer-urls=http://127.0.0.1:2380", "--initial-advertise-peer-urls=http://127.0.0.1:2380",
		"--initial-cluster=default=http://127.0.0.1:2380",
		"--log-level=warn",
	}
}

func apiServerArgs(run runDir) []string {
	file := func(name string) string { return filepath.Join(run.pki(), name) }
	return []string{
		"--etcd-servers=" + etcdURL,
		"--bind-address=" + gateway, "--advertise-address=" + gateway, fmt.Sprintf("--secure-port=%d", secureport),
		"--tls-cert-file=" + file(pki.APIServer+".crt"), "--tls-private-key-file=" + file(pki.APIServer+".key"),
		"--client-ca-file=" + file(pki.CA+".crt"),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + file(pki.ServiceAccount+".key"),
		"--service-account-signing-key-file=" + file(pki.ServiceAccount+".key"),
		"--service-cluster-ip-range=" + serviceCIDR,
		"--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction",
		"--allow-privileged=true",
		"--kubelet-preferred-address-types=InternalIP",
		"--kubelet-certificate-authority=" + file(pki.CA+".crt"),
		"--kubelet-client-certificate=" + file(pki.KubeletClient+".crt"),
		"--kubelet-client-key=" + file(pki.KubeletClient+".key"),
	}
}

func controllerManagerArgs(run runDir) []string {
	return []string{
		"--kubeconfig=" + run.path("controller-manager.kubeconfig"),
		"--service-account-private-key-file=" + filepath.Join(run.pki(), pki.ServiceAccount+".key"),
		"--root-ca-file=" + filepath.Join(run.pki(), pki.CA+".crt"),
		"--use-service-account-credentials", "--leader-elect=false",
		// Pod networks are derived from the node's index; there is no cloud.
		"--controllers=*,-nodeipam,-cloud-node-lifecycle,-service-lb-controller,-node-route-controller",
	}
}
