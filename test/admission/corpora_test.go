// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
)

// TestCorpora: the claims that data comes from come in as they are built, to be read from, and in no other way.
func TestCorpora(t *testing.T) {
	const shape = "of its node a runner sees /dev, /run/udev and the scratch directory, beside these its plan, claims " +
		"to read from, and nothing else"
	const mounts = "a runner's volumes are mounted where they belong"
	const reads = "a runner only reads from claims"
	claim := func(name string, readOnly bool) corev1.Volume {
		return corev1.Volume{Name: name,
			VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{
				ClaimName: "given", ReadOnly: readOnly,
			}}}
	}
	tests := map[string]struct {
		change func(*corev1.PodSpec)
		want   string
	}{
		"as built": {func(*corev1.PodSpec) {}, ""},
		"to be written to": {func(p *corev1.PodSpec) {
			volume(p, "corpus-0").PersistentVolumeClaim.ReadOnly = false
		}, shape},
		"a mount to write to": {func(p *corev1.PodSpec) { mount(p, "corpus-0").ReadOnly = false }, reads},
		"by another name":     {func(p *corev1.PodSpec) { p.Volumes = append(p.Volumes, claim("more", true)) }, shape},
		"a fifth":             {func(p *corev1.PodSpec) { p.Volumes = append(p.Volumes, claim("corpus-4", true)) }, shape},
		"in place of the plan": {func(p *corev1.PodSpec) {
			volume(p, "plan").VolumeSource = claim("", true).VolumeSource
		}, shape},
		"in place of a token": {func(p *corev1.PodSpec) {
			p.Volumes = append(p.Volumes, claim("kube-api-access-x", true))
		}, shape},
		"the node's files as a claim": {func(p *corev1.PodSpec) {
			volume(p, "corpus-0").VolumeSource = hostVolume("", "/etc").VolumeSource
		}, shape},
		"a Secret as a claim": {func(p *corev1.PodSpec) {
			volume(p, "corpus-0").VolumeSource = secret("other")
		}, shape},
		"the driver's own, as a claim": {func(p *corev1.PodSpec) { volume(p, "corpus-0").VolumeSource = inline() }, shape},
		"elsewhere": {func(p *corev1.PodSpec) {
			mount(p, "corpus-0").MountPath = "/usr/local/bin"
		}, mounts},
		"at the other's place": {func(p *corev1.PodSpec) {
			mount(p, "corpus-0").MountPath, mount(p, "corpus-1").MountPath = "/run/zfsbench-corpora/1", "/run/zfsbench-corpora/0"
		}, mounts},
		"a part of it":                  {func(p *corev1.PodSpec) { mount(p, "corpus-0").SubPath = "x" }, mounts},
		"a part of it, by an expansion": {func(p *corev1.PodSpec) { mount(p, "corpus-0").SubPathExpr = "x" }, mounts},
		"mounts that the node gets": {func(p *corev1.PodSpec) {
			mount(p, "corpus-0").MountPropagation = ptr.To(corev1.MountPropagationBidirectional)
		}, mounts},
		"as a device": {func(p *corev1.PodSpec) {
			p.Containers[0].VolumeMounts = p.Containers[0].VolumeMounts[:len(p.Containers[0].VolumeMounts)-1]
			p.Containers[0].VolumeDevices = []corev1.VolumeDevice{{Name: "corpus-1", DevicePath: "/dev/given"}}
		}, reads},
	}
	s := apiserver(t)
	run, c := newRun(t, "corpora"), managerConfig(t)
	for _, name := range []string{"given", "other"} {
		run.Plan.Workloads = append(run.Plan.Workloads,
			v1alpha1.Workload{Name: name, Corpus: &v1alpha1.CorpusWorkload{
				PersistentVolumeClaim: &v1alpha1.CorpusFromClaim{ClaimName: name},
			}})
	}
	account(t, run)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			job := run.RunJob(c.Runner)
			tt.change(&job.Spec.Template.Spec)
			check(t, s.as(t, managerUser).Create(t.Context(), job, client.DryRunAll), tt.want)
			pod := podOf(run.RunJob(c.Runner))
			tt.change(&pod.Spec)
			check(t, s.as(t, jobControllerUser).Create(t.Context(), pod, client.DryRunAll), tt.want)
		})
	}
}

func secret(name string) corev1.VolumeSource {
	return corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: name}}
}

func inline() corev1.VolumeSource {
	return corev1.VolumeSource{CSI: &corev1.CSIVolumeSource{Driver: "csi.example.com", ReadOnly: ptr.To(true)}}
}
