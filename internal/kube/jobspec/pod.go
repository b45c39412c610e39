// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/config"
)

const (
	// RunnerContainer is the name of the pod's only container.
	RunnerContainer = "runner"
	// planDirectory is where the plan ConfigMap is mounted.
	planDirectory = "/etc/zfsbench/plan"
	// terminationLog replaces the default, which is below /dev: here /dev is the host's, and the file would stay there.
	terminationLog = "/run/zfsbench-termination-log"
)

// pod is privileged and sees the host's processes, devices and udev database, because it makes pools with the host's
// own tools. It has no host network. The only name that it would have to resolve is the API server's, so it gets that
// as an address.
func (r Run) pod(
	c config.Runner, command string, affinity *corev1.Affinity, tolerations []corev1.Toleration,
) corev1.PodSpec {
	return corev1.PodSpec{
		RestartPolicy:                 corev1.RestartPolicyNever,
		TerminationGracePeriodSeconds: ptr.To(int64(r.Grace.Seconds())),
		ServiceAccountName:            r.Base(),
		AutomountServiceAccountToken:  ptr.To(true),
		EnableServiceLinks:            ptr.To(false),
		HostPID:                       true,
		DNSPolicy:                     corev1.DNSDefault,
		PriorityClassName:             c.PriorityClassName,
		ImagePullSecrets:              slices.Clone(c.ImagePullSecrets),
		Affinity:                      affinity,
		Tolerations:                   slices.Concat(nodeOutage(), tolerations),
		SecurityContext: &corev1.PodSecurityContext{
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeUnconfined},
		},
		Containers: []corev1.Container{r.container(c, command)},
		Volumes:    r.volumes(),
	}
}

func (r Run) container(c config.Runner, command string) corev1.Container {
	return corev1.Container{
		Name:            RunnerContainer,
		Image:           c.Image,
		ImagePullPolicy: c.ImagePullPolicy,
		Args: []string{
			command,
			"--plan=" + planDirectory + "/" + KeyPlan,
			"--plan-digest=" + r.Digest,
			"--namespace=" + r.Namespace,
			"--base=" + r.Base(),
		},
		Resources:                *c.Resources.DeepCopy(),
		SecurityContext:          &corev1.SecurityContext{Privileged: ptr.To(true), RunAsUser: ptr.To(int64(0))},
		TerminationMessagePath:   terminationLog,
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		VolumeMounts: []corev1.VolumeMount{
			{Name: "plan", MountPath: planDirectory, ReadOnly: true},
			{Name: "dev", MountPath: "/dev"},
			{Name: "udev", MountPath: "/run/udev", ReadOnly: true},
			{Name: "scratch", MountPath: r.Plan.Scratch.Directory},
		},
	}
}

func (r Run) volumes() []corev1.Volume {
	return []corev1.Volume{
		{Name: "plan", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: r.Base()},
		}}},
		hostPath("dev", "/dev", corev1.HostPathDirectory),
		hostPath("udev", "/run/udev", corev1.HostPathDirectory),
		hostPath("scratch", r.Plan.Scratch.Directory, corev1.HostPathDirectoryOrCreate),
	}
}

func hostPath(name, path string, kind corev1.HostPathType) corev1.Volume {
	return corev1.Volume{Name: name,
		VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: path, Type: &kind}}}
}

// onNode matches the node by name, not by a label that anyone may set on another node.
func onNode(name string) *corev1.Affinity {
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchFields: []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn,
				Values: []string{name}}},
		}}},
	}}
}

// onAllowedNode also requires the label by which an administrator allows benchmarks on the node. If the label is
// removed, a running pod stays: the manager stops it, so that it tears down.
func onAllowedNode(name string) *corev1.Affinity {
	affinity := onNode(name)
	term := &affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0]
	term.MatchExpressions = []corev1.NodeSelectorRequirement{
		{Key: v1alpha1.LabelNodeAllowed, Operator: corev1.NodeSelectorOpIn, Values: []string{"true"}},
	}
	return affinity
}

// nodeOutage tolerates an unreachable node without limit: the runner keeps working there, and an eviction would only
// end a trial.
func nodeOutage() []corev1.Toleration {
	return []corev1.Toleration{
		{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
		{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
	}
}
