// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/config"
)

const (
	// HolderDirectory is where the runner finds the program that holds images.
	HolderDirectory = "/run/zfsbench-holder"
	// HolderProgram is what it is called. Only what runs this very file is such a holder.
	HolderProgram = "holder"
	// InstallCommand is the runner's subcommand that puts itself there for the other containers of the pod.
	InstallCommand = "install-holder"
	// InstallDirectory is where a container of the pod has that directory, also one of an image that has nothing else of ours.
	InstallDirectory = "/zfsbench-holder"
	// HolderUser is who holds images. It is the number after the tools' own (sandbox.User), which nothing else on a node is: the pod sees the processes of the node, and an image that manages to hide the holder behind a
	// program of its own must find none there that it may send signals to, trace or look into, as it would as a user that other pods have, too.
	HolderUser = 0x7a667363
	// installContainer and imageContainer are the names of containers, the latter without its number.
	installContainer, imageContainer = "install-holder", "image-"

	holderVolume = "holder"
)

// holders are the containers that have the files of images: one puts the runner's program in front of the others, each of which, of one image, starts that program and nothing of the image, and waits until the
// pod ends. None has privileges, a token or anything of the node but, as all containers of the pod, its process numbers.
func (r Run) holders(c config.Runner, images []v1alpha1.ImageReference) []corev1.Container {
	if len(images) == 0 {
		return nil
	}
	install := holder(installContainer, c.Image, c.ImagePullPolicy)
	install.Args = []string{InstallCommand, InstallDirectory + "/" + HolderProgram}
	install.VolumeMounts = []corev1.VolumeMount{{Name: holderVolume, MountPath: InstallDirectory}, inPlaceOfToken()}
	all := []corev1.Container{install}
	for i, image := range images {
		number := strconv.Itoa(i)
		hold := holder(imageContainer+number, string(image), corev1.PullIfNotPresent)
		hold.Command = []string{InstallDirectory + "/" + HolderProgram, HoldCommand, number}
		hold.RestartPolicy = ptr.To(corev1.ContainerRestartPolicyAlways)
		hold.VolumeMounts = append(holderMounts(images, InstallDirectory), inPlaceOfToken())
		all = append(all, hold)
	}
	return all
}

// holder is an unprivileged container.
func holder(name, image string, pull corev1.PullPolicy) corev1.Container {
	return corev1.Container{
		Name: name, Image: image, ImagePullPolicy: pull,
		Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1m"), corev1.ResourceMemory: resource.MustParse("16Mi")},
			Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("128Mi")},
		},
		SecurityContext: &corev1.SecurityContext{
			RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To(int64(HolderUser)), RunAsGroup: ptr.To(int64(HolderUser)),
			AllowPrivilegeEscalation: ptr.To(false), ReadOnlyRootFilesystem: ptr.To(true), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
	}
}

func holderMounts(images []v1alpha1.ImageReference, path string) []corev1.VolumeMount {
	if len(images) == 0 {
		return nil
	}
	return []corev1.VolumeMount{{Name: holderVolume, MountPath: path, ReadOnly: true}}
}

// inPlaceOfToken keeps the runner's token out of a container: the API server adds it where nothing else is mounted.
func inPlaceOfToken() corev1.VolumeMount {
	return corev1.VolumeMount{Name: holderVolume, MountPath: "/var/run/secrets/kubernetes.io/serviceaccount", ReadOnly: true}
}

func holderVolumes(images []v1alpha1.ImageReference) []corev1.Volume {
	if len(images) == 0 {
		return nil
	}
	return []corev1.Volume{{Name: holderVolume, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: ptr.To(resource.MustParse("256Mi"))}}}}
}
