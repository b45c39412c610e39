// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/internal/config"
	"zfsbench.io/operator/internal/plan"
)

// The keys of a discovery's ConfigMap: the manager's request, and the runner's report.
const (
	KeyDiscovery = "discovery.json"
	KeyInventory = "inventory.json"
)

// discoveryPrefix is what the names of a discovery's objects start with.
const discoveryPrefix = "zn-"

// DiscoveryDeadline is when a discovery is ended. It takes a minute, or a few where many disks are slow.
const DiscoveryDeadline = 10 * time.Minute

// discoveryGrace is short: a discovery has nothing to tear down.
const discoveryGrace = 2

// Discovery is one look at a node's storage: what the builders of its objects in the runner namespace need.
type Discovery struct {
	// Namespace is the runner namespace.
	Namespace         string
	NodeName, NodeUID string
	Request           DiscoveryRequest
	// OwnerUID is the UID of the ConfigMap, which owns all the other objects; empty until that exists.
	OwnerUID types.UID
}

// DiscoveryRequest is what the runner needs to know.
type DiscoveryRequest struct {
	// Scratch is the directory for files in place of disks.
	Scratch string `json:"scratch"`
	// Volumes are the PersistentVolumes that name paths of the node.
	Volumes []plan.Volume `json:"volumes,omitempty"`
}

// DiscoveryName is the name of a node's discovery: of its ConfigMap, service account and role.
func DiscoveryName(nodeUID string) string { return discoveryPrefix + shortHash(nodeUID) }

// DiscoveryJobName is the name of the Job of a discovery.
func DiscoveryJobName(name string) string { return name + "-discover" }

// DiscoveryLabels are on every object of a node's discovery.
func DiscoveryLabels(nodeName string) map[string]string {
	return map[string]string{
		LabelNodeHash: NodeHash(nodeName), LabelManagedBy: ManagedBy, LabelComponent: ComponentDiscovery,
	}
}

func (d Discovery) name() string { return DiscoveryName(d.NodeUID) }

func (d Discovery) meta(name string) metav1.ObjectMeta {
	return ownedMeta(d.Namespace, name, DiscoveryLabels(d.NodeName), d.name(), d.OwnerUID)
}

// ConfigMap holds the request, and the report once there is one. It goes with its node.
func (d Discovery) ConfigMap() (*corev1.ConfigMap, error) {
	request, err := json.Marshal(d.Request)
	if err != nil {
		return nil, fmt.Errorf("encode the request of a discovery: %w", err)
	}
	return &corev1.ConfigMap{
		TypeMeta: configMapType(),
		ObjectMeta: metav1.ObjectMeta{
			Name: d.name(), Namespace: d.Namespace, Labels: DiscoveryLabels(d.NodeName),
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: corev1.SchemeGroupVersion.String(), Kind: "Node", Name: d.NodeName, UID: types.UID(d.NodeUID),
			}},
		},
		Data: map[string]string{KeyDiscovery: string(request)},
	}, nil
}

// ServiceAccount is the identity of the discovery.
func (d Discovery) ServiceAccount() *corev1.ServiceAccount { return serviceAccount(d.meta(d.name())) }

// Role lets the discovery read its request and write its report, and nothing else.
func (d Discovery) Role() *rbacv1.Role {
	return role(d.meta(d.name()), []rbacv1.PolicyRule{configMaps([]string{d.name()}, "get", "patch")})
}

// RoleBinding binds the role to the service account.
func (d Discovery) RoleBinding() *rbacv1.RoleBinding { return roleBinding(d.meta(d.name())) }

// Job looks at the node once. A failed one is not retried; the manager starts the next one.
func (d Discovery) Job(c config.Runner) *batchv1.Job {
	labels := DiscoveryLabels(d.NodeName)
	return &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: batchv1.SchemeGroupVersion.String(), Kind: "Job"},
		ObjectMeta: d.meta(DiscoveryJobName(d.name())),
		Spec: batchv1.JobSpec{
			Parallelism:           ptr.To(int32(1)),
			Completions:           ptr.To(int32(1)),
			BackoffLimit:          ptr.To(int32(0)),
			ActiveDeadlineSeconds: ptr.To(int64(DiscoveryDeadline.Seconds())),
			PodReplacementPolicy:  ptr.To(batchv1.Failed),
			Template:              corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: d.pod(c)},
		},
	}
}

// pod is privileged because no other container may read the node's disks. It sees the host's processes, as the guard
// must; all its mounts and its own files are read-only, and it has no scratch directory.
func (d Discovery) pod(c config.Runner) corev1.PodSpec {
	return corev1.PodSpec{
		RestartPolicy:                 corev1.RestartPolicyNever,
		TerminationGracePeriodSeconds: ptr.To(int64(discoveryGrace)),
		ServiceAccountName:            d.name(),
		AutomountServiceAccountToken:  ptr.To(true),
		EnableServiceLinks:            ptr.To(false),
		HostPID:                       true,
		DNSPolicy:                     corev1.DNSDefault,
		PriorityClassName:             c.PriorityClassName,
		ImagePullSecrets:              slices.Clone(c.ImagePullSecrets),
		Affinity:                      onAllowedNode(d.NodeName),
		Tolerations:                   slices.Clone(c.Tolerations),
		SecurityContext: &corev1.PodSecurityContext{
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeUnconfined},
		},
		Containers: []corev1.Container{{
			Name:            RunnerContainer,
			Image:           c.Image,
			ImagePullPolicy: c.ImagePullPolicy,
			Args:            []string{"discover", "--namespace=" + d.Namespace, "--base=" + d.name()},
			Resources:       *c.Resources.DeepCopy(),
			SecurityContext: &corev1.SecurityContext{Privileged: ptr.To(true), RunAsUser: ptr.To(int64(0)),
				ReadOnlyRootFilesystem: ptr.To(true)},
			TerminationMessagePath:   terminationLog,
			TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
			VolumeMounts: []corev1.VolumeMount{
				{Name: "dev", MountPath: "/dev", ReadOnly: true},
				{Name: "udev", MountPath: "/run/udev", ReadOnly: true},
			},
		}},
		Volumes: []corev1.Volume{
			hostPath("dev", "/dev", corev1.HostPathDirectory),
			hostPath("udev", "/run/udev", corev1.HostPathDirectory),
		},
	}
}
