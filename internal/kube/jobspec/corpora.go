// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"path"
	"strconv"

	corev1 "k8s.io/api/core/v1"
)

// CorporaDirectory is where the runner finds the volumes that corpora come from. The directory of each is its number
// among plan.CorpusClaims.
const CorporaDirectory = "/run/zfsbench-corpora"

// corpusVolume is the name of such a volume, without its number.
const corpusVolume = "corpus-"

// mountCorpora gives the runner the claims that data comes from. Neither the pod nor its container can write to them,
// whatever their access modes are.
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
