package pki

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/tools/clientcmd"
)

func writeBundle(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	server := APIServerSubject(net.ParseIP("10.99.0.1"), net.ParseIP("10.96.0.1"))
	nodes := []Kubelet{{Name: "storage-0", IP: net.ParseIP("10.99.0.10")}}
	if err := Write(dir, Subjects(server, nodes)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestCertificates(t *testing.T) {
	dir := writeBundle(t)
	roots := x509.NewCertPool()
	ca, err := os.ReadFile(filepath.Join(dir, CA+".crt"))
	if err != nil || !roots.AppendCertsFromPEM(ca) {
		t.Fatalf("read authority: %v", err)
	}
	tests := map[string]struct {
		names        []string // each must be valid for the certificate
		commonName   string
		organization []string
	}{
		APIServer: {
			names: []string{
				"127.0.0.1", "10.99.0.1", "10.96.0.1", "localhost", "kubernetes", "kubernetes.default",
				"kubernetes.default.svc", "kubernetes.default.svc.cluster.local",
			},
			commonName: "kube-apiserver",
		},
		Admin:             {commonName: "admin", organization: []string{"system:masters"}},
		KubeletClient:     {commonName: "kube-apiserver-kubelet-client", organization: []string{"system:masters"}},
		ControllerManager: {commonName: "system:kube-controller-manager"},
		Scheduler:         {commonName: "system:kube-scheduler"},
		Proxy:             {commonName: "system:kube-proxy"},
		NodeName("storage-0"): {names: []string{"storage-0", "10.99.0.10"}, commonName: "system:node:storage-0",
			organization: []string{"system:nodes"}},
	}
	for file, test := range tests {
		t.Run(file, func(t *testing.T) {
			pair, err := tls.LoadX509KeyPair(filepath.Join(dir, file+".crt"), filepath.Join(dir, file+".key"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.commonName, pair.Leaf.Subject.CommonName); diff != "" {
				t.Errorf("common name (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.organization, pair.Leaf.Subject.Organization); diff != "" {
				t.Errorf("organization (-want +got):\n%s", diff)
			}
			for _, name := range append(test.names, "") {
				_, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: name,
					KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
				if err != nil {
					t.Errorf("not valid for %q: %v", name, err)
				}
			}
		})
	}
}

func TestKeysArePrivate(t *testing.T) {
	dir := writeBundle(t)
	keys, err := filepath.Glob(filepath.Join(dir, "*.key"))
	if err != nil || len(keys) == 0 {
		t.Fatalf("no keys: %v", err)
	}
	for _, key := range keys {
		info, err := os.Stat(key)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o600 {
			t.Errorf("%s has mode %o", key, mode)
		}
	}
}

func TestWriteKubeconfig(t *testing.T) {
	dir := writeBundle(t)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := WriteKubeconfig(dir, Admin, "https://127.0.0.1:1234", path); err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	if config.Host != "https://127.0.0.1:1234" {
		t.Errorf("host %q", config.Host)
	}
	if _, err := tls.X509KeyPair(config.CertData, config.KeyData); err != nil {
		t.Errorf("client certificate: %v", err)
	}
}
