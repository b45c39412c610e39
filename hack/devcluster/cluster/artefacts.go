package cluster

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"zfsbench.io/operator/hack/devcluster/internal/artefact"
	"zfsbench.io/operator/hack/devcluster/internal/command"
	"zfsbench.io/operator/hack/devcluster/internal/debian"
	"zfsbench.io/operator/hack/devcluster/internal/kubebin"
	"zfsbench.io/operator/hack/devcluster/internal/nodeimage"
	"zfsbench.io/operator/hack/devcluster/internal/progress"
	"zfsbench.io/operator/hack/devcluster/internal/qemu"
)

// forwarderName is the forwarder's name in the cache.
const forwarderName = "forwarder"

// artefacts are the paths of everything built that a cluster runs from.
type artefacts struct {
	BinDir       string `json:"binDir"`
	QEMUTree     string `json:"qemuTree"`
	ImageDir     string `json:"imageDir"`
	PauseArchive string `json:"pauseArchive"`
	Forwarder    string `json:"forwarder"`
}

// builder builds artefacts and reports on it.
type builder struct {
	options Options
	report  *progress.Reporter
}

func newBuilder(o Options, report *progress.Reporter) (builder, error) {
	if o.Repository == "" {
		return builder{}, fmt.Errorf("the current directory is not inside a checkout of %s, and nothing else says what to "+
			"build from", modulePath)
	}
	return builder{options: o, report: report}, nil
}

// Assets builds kube-apiserver, etcd and kubectl and returns their directory, for KUBEBUILDER_ASSETS.
func Assets(ctx context.Context, o Options) (string, error) {
	b, err := newBuilder(o, progress.New(o.Progress))
	if err != nil {
		return "", fmt.Errorf("build assets: %w", err)
	}
	dir, err := b.binaries(ctx, kubebin.AssetNames())
	if err != nil {
		return "", fmt.Errorf("build assets: %w", err)
	}
	return dir, nil
}

// InstallTestTools installs the measuring tools that unit tests run and this machine lacks. Who is not root is told
// which command installs them.
func InstallTestTools(ctx context.Context, o Options) error {
	missing := debian.Missing(debian.TestTools())
	if len(missing) == 0 {
		return nil
	}
	if checkRoot() != nil {
		return fmt.Errorf("the unit tests need programs that are not here: as root, apt-get install %s",
			debian.Packages(missing))
	}
	b, err := newBuilder(o, progress.New(o.Progress))
	if err != nil {
		return err
	}
	return b.hostTools(ctx, missing)
}

// all builds what a cluster needs: the Go programs beside the Debian trees, because the one waits for the
// compiler and the other mostly for the network and for packages to unpack.
func (b builder) all(ctx context.Context) (artefacts, error) {
	var a artefacts
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		if a.Forwarder, err = b.forwarder(ctx); err != nil {
			return err
		}
		a.PauseArchive, err = nodeimage.EnsurePause(ctx, b.options.store(), b.source("pause"))
		if err != nil {
			return err
		}
		a.BinDir, err = b.binaries(ctx, kubebin.ClusterNames())
		return err
	})
	group.Go(func() (err error) {
		a.QEMUTree, a.ImageDir, err = b.trees(ctx)
		return err
	})
	if err := group.Wait(); err != nil {
		return artefacts{}, fmt.Errorf("build artefacts: %w", err)
	}
	return a, nil
}

func (b builder) binaries(ctx context.Context, names []string) (dir string, err error) {
	log, err := b.log("go-build.log")
	if err != nil {
		return "", err
	}
	defer log.Close()
	build := kubebin.Builder{
		KubernetesModule: b.kubernetesModule(),
		EtcdModule:       b.source("etcd"),
		Store:            b.options.store(),
		Log:              log,
	}
	err = b.report.Step(ctx, "Kubernetes and etcd binaries", func(ctx context.Context) error {
		dir, err = build.Ensure(ctx, names)
		return err
	})
	return dir, err
}

func (b builder) trees(ctx context.Context) (tree, image string, err error) {
	if err := checkRoot(); err != nil {
		return "", "", err
	}
	if err := b.hostTools(ctx, debian.ClusterTools()); err != nil {
		return "", "", err
	}
	mirror, err := debian.Mirror("/", os.Getenv)
	if err != nil {
		return "", "", err
	}
	log, err := b.log("debian.log")
	if err != nil {
		return "", "", err
	}
	defer log.Close()
	err = b.report.Step(ctx, "QEMU", func(ctx context.Context) error {
		t, err := qemu.EnsureTree(ctx, b.options.store(), mirror, log)
		tree = t.Dir
		return err
	})
	if err != nil {
		return "", "", err
	}
	err = b.report.Step(ctx, "node image with OpenZFS", func(ctx context.Context) error {
		image, err = nodeimage.Ensure(ctx, b.options.store(), mirror, log)
		return err
	})
	return tree, image, err
}

func (b builder) hostTools(ctx context.Context, tools []debian.Tool) error {
	missing := debian.Missing(tools)
	if len(missing) == 0 {
		return nil
	}
	log, err := b.log("apt.log")
	if err != nil {
		return err
	}
	defer log.Close()
	return b.report.Step(ctx, "host tools", func(ctx context.Context) error {
		return debian.Install(ctx, missing, b.options.CacheDir, log)
	})
}

// forwarder builds the forwarding program; the Go build cache makes that quick, the key says whether it changed.
func (b builder) forwarder(ctx context.Context) (string, error) {
	sources, err := filepath.Glob(b.source("internal/netns/*.go"))
	if err != nil {
		return "", err
	}
	sources = append(sources, b.source("forwarder/main.go"))
	key, err := artefact.NewKey(forwarderName).Strings(runtime.Version(), runtime.GOARCH).Files(sources...).Sum()
	if err != nil {
		return "", fmt.Errorf("build forwarder: %w", err)
	}
	return b.options.store().Ensure(ctx, forwarderName, key, func(ctx context.Context, path string) error {
		_, err := command.Run(ctx, command.Spec{
			Args: []string{"go", "build", "-trimpath", "-o", path, "./forwarder"},
			Dir:  b.source(""),
			Env:  []string{"CGO_ENABLED=0", "GOFLAGS=-buildvcs=false"},
		})
		return err
	})
}

func (b builder) kubernetesModule() string {
	if filepath.IsAbs(b.options.KubernetesModule) {
		return b.options.KubernetesModule
	}
	return b.source(b.options.KubernetesModule)
}

// source is a path inside hack/devcluster.
func (b builder) source(relative string) string {
	return filepath.Join(b.options.Repository, "hack/devcluster", relative)
}

// log opens a build log, to which every build of its kind appends what it prints.
func (b builder) log(name string) (io.WriteCloser, error) {
	dir := filepath.Join(b.options.CacheDir, "log")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("open build log: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open build log: %w", err)
	}
	return f, nil
}
