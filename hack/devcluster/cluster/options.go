package cluster

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"

	"zfsbench.io/operator/hack/devcluster/internal/artefact"
	"zfsbench.io/operator/hack/devcluster/internal/qemu"
)

// RunDirVariable moves the running cluster's state out of the cache directory.
const RunDirVariable = "ZFSBENCH_DEVCLUSTER_DIR"

// KubernetesModuleVariable names another directory with a go.mod that pins Kubernetes, relative to
// hack/devcluster or absolute.
const KubernetesModuleVariable = "ZFSBENCH_KUBERNETES_MODULE"

const modulePath = "zfsbench.io/operator"

// Binary units.
const (
	mebibyte = 1 << 20
	gibibyte = 1 << 30
)

// Throttle limits a disk; zero fields do not.
type Throttle = qemu.Throttle

// Disk is a data disk of a node.
type Disk = qemu.Disk

// Options say how to build and run the cluster. DefaultOptions fills everything in.
type Options struct {
	// Repository is the root of the project's checkout, from which things are built; a cluster that is up can be
	// used and taken down without.
	Repository string
	// CacheDir holds what is built; it may be removed at any time while no cluster runs.
	CacheDir string
	// RunDir holds the running cluster: state, disks, logs.
	RunDir string
	// KubernetesModule is the directory whose go.mod pins the Kubernetes version, absolute or relative to
	// hack/devcluster in the repository.
	KubernetesModule string

	// Nodes is the number of storage nodes, named storage-0 and so on.
	Nodes int
	// CPUs and MemoryMiB are each node's.
	CPUs, MemoryMiB int
	// DisksPerNode data disks, named d0 and so on, of DiskSizeBytes and limited by Throttle.
	DisksPerNode  int
	DiskSizeBytes int64
	Throttle      Throttle

	// Progress receives a line per step; nil is silent.
	Progress io.Writer
}

// DefaultOptions returns one node with four throttled disks of 1 GiB, in the directories the environment names,
// and the checkout that the current directory is in.
func DefaultOptions() (Options, error) {
	repository, err := findRepository()
	if err != nil {
		return Options{}, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return Options{}, fmt.Errorf("find cache directory: %w", err)
	}
	cache = filepath.Join(cache, "zfsbench-devcluster")
	o := Options{
		Repository:       repository,
		CacheDir:         cache,
		RunDir:           filepath.Join(cache, "run"),
		KubernetesModule: "kubernetes",
		Nodes:            1,
		CPUs:             2,
		MemoryMiB:        5 * 1024,
		DisksPerNode:     4,
		DiskSizeBytes:    gibibyte,
		Throttle:         Throttle{BytesPerSecond: 200 * mebibyte, IOPS: 4000},
		Progress:         os.Stderr,
	}
	if dir := os.Getenv(RunDirVariable); dir != "" {
		if o.RunDir, err = filepath.Abs(dir); err != nil {
			return Options{}, fmt.Errorf("find run directory: %w", err)
		}
	}
	if module := os.Getenv(KubernetesModuleVariable); module != "" {
		o.KubernetesModule = module
	}
	return o, nil
}

// validate checks the numbers and reports every mistake at once.
func (o Options) validate() error {
	var errs []error
	if o.Nodes < 1 || o.Nodes > maxNodes {
		errs = append(errs, fmt.Errorf("nodes: %d is not between 1 and %d", o.Nodes, maxNodes))
	}
	if o.CPUs < 1 {
		errs = append(errs, fmt.Errorf("cpus: %d is less than 1", o.CPUs))
	}
	if o.MemoryMiB < 2048 {
		errs = append(errs, fmt.Errorf("memory: %d MiB is less than the 2048 MiB a node needs", o.MemoryMiB))
	}
	for _, d := range o.disks(o.Nodes - 1) {
		errs = append(errs, d.Validate())
	}
	return errors.Join(errs...)
}

// match reports whether the cluster has the size that the options ask for.
func (o Options) match(s state) bool {
	if len(s.Nodes) != o.Nodes {
		return false
	}
	for _, n := range s.Nodes {
		if n.CPUs != o.CPUs || n.MemoryMiB != o.MemoryMiB {
			return false
		}
	}
	return true
}

// checkRoot fails early with what would otherwise be a puzzling error of some mount or namespace.
func checkRoot() error {
	if os.Geteuid() != 0 {
		return errors.New("only root can make network namespaces and Debian trees")
	}
	return nil
}

// disks are the data disks of the node with this index.
func (o Options) disks(node int) []Disk {
	disks := make([]Disk, 0, o.DisksPerNode)
	for i := range o.DisksPerNode {
		disks = append(disks, Disk{Name: fmt.Sprintf("d%d", i), Node: node, SizeBytes: o.DiskSizeBytes, Throttle: o.Throttle})
	}
	return disks
}

func (o Options) store() artefact.Store { return artefact.Store{Dir: o.CacheDir} }

// findRepository walks up from the current directory to the module's root. Outside a checkout it returns nothing.
func findRepository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find repository: %w", err)
	}
	for {
		content, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && modfile.ModulePath(content) == modulePath {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", nil
		}
		dir = parent
	}
}
