// Package kubebin builds Kubernetes and etcd from their Go modules.
package kubebin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"zfsbench.io/operator/hack/devcluster/internal/artefact"
	"zfsbench.io/operator/hack/devcluster/internal/command"
)

// ArtefactName is the name of the binaries' directory in the cache.
const ArtefactName = "kubernetes"

// Names of binaries.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
	Scheduler         = "kube-scheduler"
	Kubelet           = "kubelet"
	Proxy             = "kube-proxy"
	Kubectl           = "kubectl"
)

// AssetNames are the binaries that controller-runtime's envtest needs.
func AssetNames() []string { return []string{APIServer, Etcd, Kubectl} }

// ClusterNames are the binaries a cluster needs.
func ClusterNames() []string {
	return append(AssetNames(), ControllerManager, Scheduler, Kubelet, Proxy)
}

// Builder builds from the two tool modules.
type Builder struct {
	// KubernetesModule and EtcdModule are directories with a go.mod and go.sum.
	KubernetesModule, EtcdModule string
	Store                        artefact.Store
	Log                          io.Writer
}

// Version is the Kubernetes version that the module pins.
func (b Builder) Version() (Version, error) {
	return ReadVersion(filepath.Join(b.KubernetesModule, "go.mod"))
}

// Ensure returns the directory that holds the named binaries, after building those that are missing. The
// directory is shared by all who ask with the same modules, whatever names they ask for.
func (b Builder) Ensure(ctx context.Context, names []string) (string, error) {
	version, err := b.Version()
	if err != nil {
		return "", err
	}
	dir, err := b.ensureDir(ctx, version)
	if err != nil {
		return "", fmt.Errorf("build binaries: %w", err)
	}
	unlock, err := artefact.Lock(ctx, filepath.Join(dir, ".lock"), nil)
	if err != nil {
		return "", fmt.Errorf("build binaries: %w", err)
	}
	defer unlock()
	var missing []string
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			missing = append(missing, name)
		}
	}
	if err := b.build(ctx, version, dir, missing); err != nil {
		return "", fmt.Errorf("build binaries: %w", err)
	}
	return dir, nil
}

func (b Builder) ensureDir(ctx context.Context, version Version) (string, error) {
	key, err := b.Key(version)
	if err != nil {
		return "", err
	}
	return b.Store.Ensure(ctx, ArtefactName, key, func(_ context.Context, path string) error {
		return os.Mkdir(path, 0o755)
	})
}

// Key identifies what the binaries are built from.
func (b Builder) Key(version Version) (string, error) {
	return artefact.NewKey(ArtefactName).
		Strings(runtime.Version(), runtime.GOARCH, kubernetesFlags(version), plainFlags).
		Files(modFiles(b.KubernetesModule)...).
		Files(modFiles(b.EtcdModule)...).
		Sum()
}

func modFiles(module string) []string {
	return []string{filepath.Join(module, "go.mod"), filepath.Join(module, "go.sum")}
}

// build builds the binaries beside their place and renames each when whole.
func (b Builder) build(ctx context.Context, version Version, dir string, names []string) (err error) {
	if len(names) == 0 {
		return nil
	}
	tmp, err := artefact.MkdirTemp(dir, "build")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()

	// etcd first: it is quick, and its failure is then told early.
	if slices.Contains(names, Etcd) {
		if err := b.goBuild(ctx, b.EtcdModule, plainFlags, filepath.Join(tmp, Etcd),
			"go.etcd.io/etcd/server/v3"); err != nil {
			return err
		}
	}
	var packages []string
	for _, name := range names {
		if name != Etcd {
			packages = append(packages, "k8s.io/kubernetes/cmd/"+name)
		}
	}
	if len(packages) > 0 {
		if err := b.goBuild(ctx, b.KubernetesModule, kubernetesFlags(version), tmp+"/", packages...); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := os.Rename(filepath.Join(tmp, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

func (b Builder) goBuild(ctx context.Context, module, ldflags, output string, packages ...string) error {
	args := append([]string{"go", "build", "-mod=readonly", "-trimpath", "-ldflags", ldflags, "-o", output}, packages...)
	_, err := command.Run(ctx, command.Spec{
		Args: args,
		Dir:  module,
		// A go.work or GOFLAGS of the caller must not change what is built.
		Env: []string{"CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-buildvcs=false"},
		Log: b.Log,
	})
	return err
}

const plainFlags = "-s -w"

// kubernetesFlags stamps the version, which the API reports and clients check.
func kubernetesFlags(v Version) string {
	flags := []string{plainFlags}
	for _, pkg := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		flags = append(flags,
			fmt.Sprintf("-X %s.gitVersion=%s", pkg, v),
			fmt.Sprintf("-X %s.gitMajor=%d", pkg, v.Major),
			fmt.Sprintf("-X %s.gitMinor=%d", pkg, v.Minor))
	}
	return strings.Join(flags, " ")
}
