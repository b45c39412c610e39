// SPDX-License-Identifier: Apache-2.0

package config

import (
	"cmp"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/internal/plan"
)

// The defaults of what a file may leave out.
const (
	DefaultRunnerNamespace  = "zfsbench-runners"
	DefaultScratchDirectory = "/var/lib/zfsbench"
	DefaultScratchSizeLimit = "16Gi"
	DefaultClaimNamespace   = "zfsbench-claims"
	DefaultDriverNamespace  = "openebs"
	DefaultMaxTimeout       = 24 * time.Hour
	// DefaultDiscoveryInterval is a day: disks are changed by people, who can ask for a discovery.
	DefaultDiscoveryInterval = 24 * time.Hour
)

// maxFileBytes bounds the configuration file; a real one is under 4 KiB.
const maxFileBytes = 1 << 20

// Manager is the whole configuration.
type Manager struct {
	// RunnerNamespace holds plans, Jobs, progress and raw results; it admits privileged pods. Default: zfsbench-runners.
	RunnerNamespace string `json:"runnerNamespace,omitempty"`
	// Runner is how a runner's pod looks.
	Runner Runner `json:"runner"`
	// Scratch is what a runner may use of a node when no BenchmarkDevicePolicy says otherwise.
	Scratch Scratch `json:"scratch,omitzero"`
	// MaxTimeout is the longest timeout of a benchmark, from 1m to 720h in whole seconds. Where policies set one, too,
	// the smallest counts. Default: 24h.
	MaxTimeout metav1.Duration `json:"maxTimeout,omitzero"`
	// FileDevices says who may use files in place of disks: everybody (Allowed, the default), namespaces with a policy
	// that says `fileDevices: Allowed` (Policy), or nobody (Forbidden). Scratch.SizeLimit bounds their total size.
	FileDevices plan.FileDevices `json:"fileDevices,omitempty"`
	// DiscoveryInterval is how often nodes are looked at for their NodeStorage, from 10m to 720h, beside when somebody
	// asks and after benchmarks. Default: 24h.
	DiscoveryInterval metav1.Duration `json:"discoveryInterval,omitzero"`
	// CSI is what benchmarks of persistent volumes need. Default: off.
	CSI CSI `json:"csi,omitzero"`
}

// CSI lets the manager claim volumes. Its further roles are installed only where it is on.
type CSI struct {
	Enabled bool `json:"enabled,omitempty"`
	// Namespace is where claims are, and the pods that have them mounted; it admits ordinary pods only. Default:
	// zfsbench-claims.
	Namespace string `json:"namespace,omitempty"`
	// DriverNamespace is where zfs-localpv keeps its ZFSNodes and ZFSVolumes. Default: openebs.
	DriverNamespace string `json:"driverNamespace,omitempty"`
}

// Runner is how a runner's pod looks.
type Runner struct {
	// Image of the runner; required.
	Image string `json:"image"`
	// ImagePullPolicy is Always, IfNotPresent (the default) or Never.
	ImagePullPolicy corev1.PullPolicy `json:"imagePullPolicy,omitempty"`
	// ImagePullSecrets name Secrets in the runner namespace; the manager never reads them.
	ImagePullSecrets []corev1.LocalObjectReference `json:"imagePullSecrets,omitempty"`
	// Tolerations are added to those for nodes that are not ready or unreachable.
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
	// PriorityClassName is the priority class of a runner's pod.
	PriorityClassName string `json:"priorityClassName,omitempty"`
	// Resources are the runner container's. Limits on CPU or memory change what is measured.
	Resources corev1.ResourceRequirements `json:"resources,omitzero"`
}

// Scratch is a directory on the node and the space all file devices of one benchmark may take there.
type Scratch struct {
	// Directory is absolute and none of the system's. Default: /var/lib/zfsbench.
	Directory string `json:"directory,omitempty"`
	// SizeLimit is in bytes. Default: 16Gi.
	SizeLimit resource.Quantity `json:"sizeLimit,omitzero"`
}

// Decode reads a configuration, fills in the defaults and checks it. A key it does not know is an error: a misspelt one
// must not be ignored.
func Decode(r io.Reader) (Manager, error) {
	var m Manager
	data, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	if err != nil {
		return Manager{}, fmt.Errorf("read configuration: %w", err)
	}
	if len(data) > maxFileBytes {
		return Manager{}, fmt.Errorf("read configuration: more than %d bytes", maxFileBytes)
	}
	if err := yaml.UnmarshalStrict(data, &m); err != nil {
		return Manager{}, fmt.Errorf("decode configuration: %w", err)
	}
	m = m.withDefaults()
	if err := m.Validate(); err != nil {
		return Manager{}, fmt.Errorf("check configuration: %w", err)
	}
	return m, nil
}

func (m Manager) withDefaults() Manager {
	if m.RunnerNamespace == "" {
		m.RunnerNamespace = DefaultRunnerNamespace
	}
	if m.Runner.ImagePullPolicy == "" {
		m.Runner.ImagePullPolicy = corev1.PullIfNotPresent
	}
	if m.Scratch.Directory == "" {
		m.Scratch.Directory = DefaultScratchDirectory
	}
	if m.Scratch.SizeLimit.IsZero() {
		m.Scratch.SizeLimit = resource.MustParse(DefaultScratchSizeLimit)
	}
	m.MaxTimeout.Duration = cmp.Or(m.MaxTimeout.Duration, DefaultMaxTimeout)
	m.DiscoveryInterval.Duration = cmp.Or(m.DiscoveryInterval.Duration, DefaultDiscoveryInterval)
	m.FileDevices = cmp.Or(m.FileDevices, plan.FileDevicesAllowed)
	if m.CSI.Enabled {
		m.CSI.Namespace = cmp.Or(m.CSI.Namespace, DefaultClaimNamespace)
		m.CSI.DriverNamespace = cmp.Or(m.CSI.DriverNamespace, DefaultDriverNamespace)
	}
	return m
}
