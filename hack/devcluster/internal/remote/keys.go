package remote

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/crypto/ssh"
)

// Names of the key files in a cluster's key directory.
const (
	ClientKey = "ssh-client"
	HostKey   = "ssh-host"
)

// WriteKeys makes the client's and the nodes' host key in dir.
func WriteKeys(dir string) error {
	for _, name := range []string{ClientKey, HostKey} {
		if err := writeKey(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("make SSH key %s: %w", name, err)
		}
	}
	return nil
}

func writeKey(path string) error {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	block, err := ssh.MarshalPrivateKey(private, "zfsbench-devcluster")
	if err != nil {
		return err
	}
	return os.WriteFile(path, pem.EncodeToMemory(block), 0o600)
}

// ReadKey returns the key of that name.
func ReadKey(dir, name string) (ssh.Signer, error) {
	content, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return nil, fmt.Errorf("read SSH key: %w", err)
	}
	signer, err := ssh.ParsePrivateKey(content)
	if err != nil {
		return nil, fmt.Errorf("read SSH key %s: %w", name, err)
	}
	return signer, nil
}
