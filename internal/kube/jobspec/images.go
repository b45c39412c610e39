// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/internal/config"
)

const (
	// InstallCommand is the runner's subcommand that copies itself to where the image containers start it.
	InstallCommand = "install-holder"
	// HolderFile is that copy, mounted into every image container: an image may contain no program at all.
	HolderFile = holderDirectory + "/holder"
	// HolderUser is the user that holds images. It is the number after the tools' own (sandbox.User), and nothing else
	// on a node uses it: an image whose own program hides the holder shares a user with no process of the node.
	HolderUser = 0x7a667363
	// installContainer is the name of a container, imageContainer a prefix that the image's number follows.
	installContainer, imageContainer = "install-holder", "image-"

	holderVolume, holderDirectory = "holder", "/zfsbench-holder"
)

// containerOf is the name of the container that holds an image, by its index in plan.Images.
func containerOf(number int) string { return imageContainer + strconv.Itoa(number) }

// ImageNumber is the number of the image that a container of the pod holds; false for one that holds none.
func ImageNumber(container string) (int, bool) {
	digits, found := strings.CutPrefix(container, imageContainer)
	number, err := strconv.Atoi(digits)
	return number, found && err == nil
}

// ImagePod holds the files of the plan's images for the runner. It does not see the node's processes, and has no
// privileges and no token. An init container copies the runner's program to a shared volume. Each other container has
// one image, and runs that program, which only waits; nothing from the image runs. It is nil if the plan needs no
// images.
func (r Run) ImagePod(c config.Runner) *corev1.Pod {
	images := r.Plan.Images()
	if len(images) == 0 {
		return nil
	}
	meta := r.meta(ImagePodName(r.Base()))
	meta.Labels[LabelComponent] = ComponentImages
	install := holder(installContainer, c.Image, c.ImagePullPolicy, false)
	install.Args = []string{InstallCommand, HolderFile}
	pod := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: corev1.SchemeGroupVersion.String(), Kind: "Pod"},
		ObjectMeta: meta,
		Spec: corev1.PodSpec{
			RestartPolicy:                 corev1.RestartPolicyAlways,
			TerminationGracePeriodSeconds: ptr.To(int64(holderGrace)),
			AutomountServiceAccountToken:  ptr.To(false),
			EnableServiceLinks:            ptr.To(false),
			DNSPolicy:                     corev1.DNSDefault,
			PriorityClassName:             c.PriorityClassName,
			ImagePullSecrets:              slices.Clone(c.ImagePullSecrets),
			Affinity:                      onAllowedNode(r.Plan.Node.Name),
			Tolerations:                   slices.Concat(nodeOutage(), c.Tolerations),
			InitContainers:                []corev1.Container{install},
			Volumes: []corev1.Volume{{Name: holderVolume, VolumeSource: corev1.VolumeSource{
				EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: ptr.To(resource.MustParse("256Mi"))},
			}}},
		},
	}
	for i, image := range images {
		hold := holder(containerOf(i), string(image), corev1.PullIfNotPresent, true)
		hold.Command = []string{HolderFile, HoldCommand, strconv.Itoa(i)}
		pod.Spec.Containers = append(pod.Spec.Containers, hold)
	}
	return pod
}

// holder is an unprivileged container. Its requests keep the pod from being the first that its node evicts.
func holder(name, image string, pull corev1.PullPolicy, readOnly bool) corev1.Container {
	return corev1.Container{
		Name: name, Image: image, ImagePullPolicy: pull,
		Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1m"),
				corev1.ResourceMemory: resource.MustParse("16Mi")},
			Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("128Mi")},
		},
		SecurityContext: &corev1.SecurityContext{
			RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To(int64(HolderUser)), RunAsGroup: ptr.To(int64(HolderUser)),
			AllowPrivilegeEscalation: ptr.To(false), ReadOnlyRootFilesystem: ptr.To(true),
			Capabilities:   &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		VolumeMounts: []corev1.VolumeMount{{Name: holderVolume, MountPath: holderDirectory, ReadOnly: readOnly}},
	}
}
