// Package pki makes the cluster's certificates.
package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// validity of everything issued here; a development cluster does not live that long.
const validity = 365 * 24 * time.Hour

// Names of the files the bundle's directory holds, each with .crt and .key where it is a certificate.
const (
	CA                = "ca"
	APIServer         = "apiserver"
	KubeletClient     = "kubelet-client"
	Admin             = "admin"
	ControllerManager = "controller-manager"
	Scheduler         = "scheduler"
	Proxy             = "kube-proxy"
	ServiceAccount    = "service-account"
)

// NodeName is the name of a node's certificate.
func NodeName(node string) string { return "node-" + node }

// Subject describes one certificate.
type Subject struct {
	File         string // without extension
	CommonName   string
	Organization string
	DNSNames     []string
	IPs          []net.IP
}

// Kubelet is the node that a kubelet's certificate is made for.
type Kubelet struct {
	Name string
	IP   net.IP
}

// APIServerSubject returns the server certificate's subject: it must answer on the machine's loopback address
// (through the forwarder), inside the network namespace, and as the service "kubernetes".
func APIServerSubject(addresses ...net.IP) Subject {
	return Subject{
		File:       APIServer,
		CommonName: "kube-apiserver",
		DNSNames: []string{
			"localhost",
			"kubernetes",
			"kubernetes.default",
			"kubernetes.default.svc",
			"kubernetes.default.svc.cluster.local",
		},
		IPs: append([]net.IP{net.IPv4(127, 0, 0, 1)}, addresses...),
	}
}

// Subjects returns everything the cluster needs beside the authority.
func Subjects(apiServer Subject, nodes []Kubelet) []Subject {
	subjects := []Subject{
		apiServer,
		{File: Admin, CommonName: "admin", Organization: "system:masters"},
		{File: KubeletClient, CommonName: "kube-apiserver-kubelet-client", Organization: "system:masters"},
		{File: ControllerManager, CommonName: "system:kube-controller-manager"},
		{File: Scheduler, CommonName: "system:kube-scheduler"},
		{File: Proxy, CommonName: "system:kube-proxy"},
	}
	for _, n := range nodes {
		subjects = append(subjects, Subject{
			File:         NodeName(n.Name),
			CommonName:   "system:node:" + n.Name,
			Organization: "system:nodes",
			DNSNames:     []string{n.Name},
			IPs:          []net.IP{n.IP},
		})
	}
	return subjects
}

// Write makes an authority, the subjects' certificates and the service account key in dir.
func Write(dir string, subjects []Subject) error {
	authority, err := newAuthority()
	if err != nil {
		return fmt.Errorf("make certificate authority: %w", err)
	}
	if err := writePair(dir, CA, authority.certificate.Raw, authority.key); err != nil {
		return fmt.Errorf("write certificate authority: %w", err)
	}
	for _, s := range subjects {
		der, key, err := authority.issue(s)
		if err != nil {
			return fmt.Errorf("issue certificate %s: %w", s.File, err)
		}
		if err := writePair(dir, s.File, der, key); err != nil {
			return fmt.Errorf("write certificate %s: %w", s.File, err)
		}
	}
	return writeServiceAccountKey(dir)
}

// writeServiceAccountKey writes the key that signs service account tokens: RSA, because the issuer's
// discovery document of every Kubernetes version supports it.
func writeServiceAccountKey(dir string) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return fmt.Errorf("make service account key: %w", err)
	}
	return writePEM(filepath.Join(dir, ServiceAccount+".key"), "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key), 0o600)
}

type authority struct {
	certificate *x509.Certificate
	key         crypto.Signer
}

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template, err := baseTemplate("zfsbench-devcluster-ca", "")
	if err != nil {
		return nil, err
	}
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &authority{certificate: certificate, key: key}, nil
}

func (a *authority) issue(s Subject) ([]byte, crypto.Signer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template, err := baseTemplate(s.CommonName, s.Organization)
	if err != nil {
		return nil, nil, err
	}
	template.DNSNames, template.IPAddresses = s.DNSNames, s.IPs
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	return der, key, err
}

func baseTemplate(commonName, organization string) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: commonName},
		// An hour back, for a virtual machine whose clock lags.
		NotBefore: time.Now().Add(-time.Hour),
		NotAfter:  time.Now().Add(validity),
	}
	if organization != "" {
		template.Subject.Organization = []string{organization}
	}
	return template, nil
}

func writePair(dir, name string, certificate []byte, key crypto.Signer) error {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := writePEM(filepath.Join(dir, name+".key"), "PRIVATE KEY", der, 0o600); err != nil {
		return err
	}
	return writePEM(filepath.Join(dir, name+".crt"), "CERTIFICATE", certificate, 0o644)
}

func writePEM(path, kind string, der []byte, mode os.FileMode) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), mode)
}
