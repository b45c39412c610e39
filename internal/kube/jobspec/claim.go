// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/config"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/csi/localpv"
)

const (
	// HoldCommand is the runner's subcommand that only waits.
	HoldCommand = "hold"

	heldVolume = "volume"
	// nobody is the user of the holder, which reads and writes nothing.
	nobody = 65534
	// holderGrace is how long the holder may take to end.
	holderGrace = 5
	// annotationSelectedNode is how the scheduler tells a provisioner which node a volume is for, where the class waits
	// for the first consumer (AnnSelectedNode of k8s.io/component-helpers/storage/volume).
	annotationSelectedNode = "volume.kubernetes.io/selected-node"
)

// holderRequests make the pod Burstable. Without requests it would be BestEffort, and the first that its node evicts.
func holderRequests() corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("10m"),
		corev1.ResourceMemory: resource.MustParse("32Mi")}
}

// Claim is the volume of one trial, built from the plan alone. There is one at a time, so all its objects have the name
// of the run.
type Claim struct {
	Run Run
	// Namespace is where the claim and the pod are.
	Namespace string
	Variant   plan.Variant
	// Trial is the index of the trial that the claim is for, PoolTrial the index of the trial that made the pool.
	Trial, PoolTrial int
	// NodeLabels are the labels of the node; the driver may identify the node by one of them.
	NodeLabels map[string]string
	// Waits says that the StorageClass is an existing one, and makes volumes only once their node is known.
	Waits bool
}

// Name is the name of the claim, of its pod, and of the benchmark's own StorageClass.
func (c Claim) Name() string { return c.Run.Base() }

// ClassName is the StorageClass that the volume is claimed from.
func (c Claim) ClassName() string {
	if c.IsForeign() {
		return c.Variant.Baseline.PersistentVolume.StorageClassName
	}
	return c.Name()
}

// IsForeign says that the StorageClass is an existing one, not the benchmark's own.
func (c Claim) IsForeign() bool { return c.Variant.Baseline != nil }

// Pool is the benchmark's pool.
func (c Claim) Pool() string { return plan.PoolName(c.Run.Plan.Benchmark.UID, c.PoolTrial) }

// Parent is the dataset in which the driver makes the volume.
func (c Claim) Parent() string { return c.Pool() + "/" + plan.BenchDataset }

// NodeID is the driver's name for the node.
func (c Claim) NodeID() string { return localpv.NodeID(c.Run.Plan.Node.Name, c.NodeLabels) }

// IsBlock says whether a block device is claimed.
func (c Claim) IsBlock() bool {
	if c.IsForeign() {
		return c.Variant.Baseline.IsBlockDevice()
	}
	return c.Variant.Dataset.IsBlockDevice()
}

func (c Claim) size() resource.Quantity {
	if c.IsForeign() {
		return c.Variant.Baseline.PersistentVolume.Size
	}
	return c.Variant.Dataset.PersistentVolume.Size
}

// Labels are on all objects of the claim.
func (c Claim) Labels() map[string]string {
	labels := Labels(c.Run.Plan.Benchmark.UID, c.Run.Plan.Node.Name)
	labels[LabelTrial] = strconv.Itoa(c.Trial)
	return labels
}

func (c Claim) meta(namespace string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: c.Name(), Namespace: namespace, Labels: c.Labels(), Annotations: map[string]string{
		AnnotationBenchmark: c.Run.Plan.Benchmark.Namespace + "/" + c.Run.Plan.Benchmark.Name,
	}}
}

// ClassParameters are the StorageClass parameters for a dataset spec. The driver makes the class's volumes in the
// dataset called name.
func ClassParameters(d v1alpha1.DatasetSpec, parent string) map[string]string {
	return localpv.Parameters(parent, string(d.PersistentVolume.FSType), d.PersistentVolume.Sparse, d.Properties)
}

// StorageClass is the benchmark's own class: it makes volumes in the benchmark's pool, on its node, immediately. A
// finalizer keeps it until the volume is gone. It is nil if the claim uses an existing class.
func (c Claim) StorageClass() *storagev1.StorageClass {
	if c.IsForeign() {
		return nil
	}
	meta := c.meta("")
	meta.Finalizers = []string{v1alpha1.Finalizer}
	return &storagev1.StorageClass{
		TypeMeta:          metav1.TypeMeta{APIVersion: storagev1.SchemeGroupVersion.String(), Kind: "StorageClass"},
		ObjectMeta:        meta,
		Provisioner:       localpv.Provisioner,
		Parameters:        ClassParameters(c.Variant.Dataset, c.Parent()),
		ReclaimPolicy:     ptr.To(corev1.PersistentVolumeReclaimDelete),
		VolumeBindingMode: ptr.To(storagev1.VolumeBindingImmediate),
		AllowedTopologies: []corev1.TopologySelectorTerm{{MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{
			{Key: localpv.TopologyKey, Values: []string{c.NodeID()}},
		}}},
	}
}

// PersistentVolumeClaim is the claim. If the class waits for a first consumer, the claim names the node itself, as the
// scheduler would do for a pod. So the volume is made and can be checked before a pod exists: for a pod, the kubelet
// would format or mount it. The PersistentVolume controller then never binds the claim to an existing volume
// (delayBinding in FindMatchingVolume).
func (c Claim) PersistentVolumeClaim() *corev1.PersistentVolumeClaim {
	mode := corev1.PersistentVolumeFilesystem
	if c.IsBlock() {
		mode = corev1.PersistentVolumeBlock
	}
	meta := c.meta(c.Namespace)
	if c.Waits {
		meta.Annotations[annotationSelectedNode] = c.Run.Plan.Node.Name
	}
	return &corev1.PersistentVolumeClaim{
		TypeMeta:   metav1.TypeMeta{APIVersion: corev1.SchemeGroupVersion.String(), Kind: "PersistentVolumeClaim"},
		ObjectMeta: meta,
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			StorageClassName: ptr.To(c.ClassName()),
			VolumeMode:       &mode,
			Resources:        corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: c.size()}},
		},
	}
}

// Holder is the pod that keeps the volume mounted and does nothing with it. It is an ordinary pod without privileges,
// token or limits, as the restricted level of Pod Security requires. The runner measures on its mount.
func (c Claim) Holder(r config.Runner) *corev1.Pod {
	meta := c.meta(c.Namespace)
	meta.Labels[LabelComponent] = ComponentHolder
	container := corev1.Container{
		Name: ComponentHolder, Image: r.Image, ImagePullPolicy: r.ImagePullPolicy, Args: []string{HoldCommand},
		Resources: corev1.ResourceRequirements{Requests: holderRequests()},
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: ptr.To(false), ReadOnlyRootFilesystem: ptr.To(true),
			Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
	}
	if c.IsBlock() {
		container.VolumeDevices = []corev1.VolumeDevice{{Name: heldVolume, DevicePath: result.HeldDevice}}
	} else {
		container.VolumeMounts = []corev1.VolumeMount{{Name: heldVolume, MountPath: result.HeldDirectory}}
	}
	return &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: corev1.SchemeGroupVersion.String(), Kind: "Pod"},
		ObjectMeta: meta,
		Spec: corev1.PodSpec{
			RestartPolicy:                 corev1.RestartPolicyNever,
			TerminationGracePeriodSeconds: ptr.To(int64(holderGrace)),
			AutomountServiceAccountToken:  ptr.To(false),
			EnableServiceLinks:            ptr.To(false),
			PriorityClassName:             r.PriorityClassName,
			ImagePullSecrets:              append([]corev1.LocalObjectReference(nil), r.ImagePullSecrets...),
			Affinity:                      onNode(c.Run.Plan.Node.Name),
			Tolerations:                   append(nodeOutage(), r.Tolerations...),
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To(int64(nobody)), RunAsGroup: ptr.To(int64(nobody)),
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: []corev1.Container{container},
			Volumes: []corev1.Volume{{Name: heldVolume, VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: c.Name()},
			}}},
		},
	}
}
