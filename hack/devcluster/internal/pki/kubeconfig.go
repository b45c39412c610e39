package pki

import (
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// WriteKubeconfig writes, to path, a kubeconfig that uses dir's certificate of that name against server.
func WriteKubeconfig(dir, name, server, path string) error {
	files := map[string][]byte{}
	for _, file := range []string{CA + ".crt", name + ".crt", name + ".key"} {
		content, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			return fmt.Errorf("write kubeconfig %s: %w", path, err)
		}
		files[file] = content
	}
	const entry = "zfsbench-devcluster"
	config := clientcmdapi.NewConfig()
	config.Clusters[entry] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: files[CA+".crt"]}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{
		ClientCertificateData: files[name+".crt"],
		ClientKeyData:         files[name+".key"],
	}
	config.Contexts[entry] = &clientcmdapi.Context{Cluster: entry, AuthInfo: name}
	config.CurrentContext = entry
	content, err := clientcmd.Write(*config)
	if err != nil {
		return fmt.Errorf("write kubeconfig %s: %w", path, err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return fmt.Errorf("write kubeconfig: %w", err)
	}
	return nil
}
