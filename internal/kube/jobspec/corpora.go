// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"path"
	"strconv"

	corev1 "k8s.io/api/core/v1"
)

// CorporaDirectory is where the runner finds the volumes with corpora. Each has a subdirectory, named by its index in
// plan.CorpusClaims.
const CorporaDirectory = "/run/zfsbench-corpora"

// corpusVolume is the prefix of such a volume's name; its index follows.
const corpusVolume = "corpus-"

// mountCorpora mounts the claims with data into the runner's pod, read-only for both the pod and its container,
// whatever the access modes of the claims are.
func mountCorpora(pod *corev1.PodSpec, claims []string) {
	for i, claim := range claims {
		number := strconv.Itoa(i)
		pod.Volumes = append(pod.Volumes, corev1.Volume{Name: corpusVolume + number, VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim, ReadOnly: true},
		}})
		runner := &pod.Containers[0]
		runner.VolumeMounts = append(runner.VolumeMounts,
			corev1.VolumeMount{Name: corpusVolume + number, MountPath: path.Join(CorporaDirectory, number), ReadOnly: true})
	}
}
