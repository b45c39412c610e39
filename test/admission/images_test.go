// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestHolders: the containers that hold the files of images come in as they are built, and in no other way.
func TestHolders(t *testing.T) {
	const names = "a runner's pod has one container, called runner, and no init container but those that hold the files of images"
	const command = "a container that holds the files of an image starts the runner's own program, with no other command, environment or hook"
	const rights = "a container that holds the files of an image has no privileges, and mounts the holder's directory only"
	const shape = "of its node a runner sees /dev, /run/udev and the scratch directory, beside these its plan, the holder of images, claims to read from, and nothing else"
	const install, image = 0, 1
	tests := map[string]struct {
		change func(*corev1.PodSpec)
		want   string
	}{
		"as built":               {func(*corev1.PodSpec) {}, ""},
		"of another image":       {func(p *corev1.PodSpec) { p.InitContainers[image].Image = "example/other:1" }, ""},
		"another name":           {func(p *corev1.PodSpec) { p.InitContainers[image].Name = "shell" }, names},
		"a fifth image":          {func(p *corev1.PodSpec) { p.InitContainers[image].Name = "image-4" }, names},
		"a command of the image": {func(p *corev1.PodSpec) { p.InitContainers[image].Command = []string{"sh"} }, command},
		"no command":             {func(p *corev1.PodSpec) { p.InitContainers[image].Command = nil }, command},
		"another number":         {func(p *corev1.PodSpec) { p.InitContainers[image].Command[2] = "3" }, command},
		"arguments":              {func(p *corev1.PodSpec) { p.InitContainers[image].Args = []string{"x"} }, command},
		"environment":            {func(p *corev1.PodSpec) { p.InitContainers[image].Env = []corev1.EnvVar{{Name: "A", Value: "b"}} }, command},
		"a hook": {func(p *corev1.PodSpec) {
			p.InitContainers[image].StartupProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"sh"}}}}
		}, command},
		"installed by another image": {func(p *corev1.PodSpec) { p.InitContainers[install].Image = "example/other:1" }, command},
		"installed by a command":     {func(p *corev1.PodSpec) { p.InitContainers[install].Command = []string{"sh"} }, command},
		"installed elsewhere":        {func(p *corev1.PodSpec) { p.InitContainers[install].Args[1] = "/dev/x" }, command},
		"privileged": {func(p *corev1.PodSpec) {
			p.InitContainers[image].SecurityContext.Privileged, p.InitContainers[image].SecurityContext.AllowPrivilegeEscalation = ptr.To(true), nil
		}, rights},
		"as root":                  {func(p *corev1.PodSpec) { p.InitContainers[image].SecurityContext.RunAsUser = ptr.To(int64(0)) }, rights},
		"as a user of others":      {func(p *corev1.PodSpec) { p.InitContainers[image].SecurityContext.RunAsUser = ptr.To(int64(65534)) }, rights},
		"without security context": {func(p *corev1.PodSpec) { p.InitContainers[image].SecurityContext = nil }, rights},
		"with a capability": {func(p *corev1.PodSpec) {
			p.InitContainers[image].SecurityContext.Capabilities.Add = []corev1.Capability{"SYS_ADMIN"}
		}, rights},
		"with all capabilities": {func(p *corev1.PodSpec) { p.InitContainers[image].SecurityContext.Capabilities = nil }, rights},
		"without filter":        {func(p *corev1.PodSpec) { p.InitContainers[image].SecurityContext.SeccompProfile = nil }, rights},
		"a root to write to":    {func(p *corev1.PodSpec) { p.InitContainers[image].SecurityContext.ReadOnlyRootFilesystem = nil }, rights},
		"a holder to write to":  {func(p *corev1.PodSpec) { p.InitContainers[image].VolumeMounts[0].ReadOnly = false }, rights},
		"with devices": {func(p *corev1.PodSpec) {
			p.InitContainers[image].VolumeMounts = append(p.InitContainers[image].VolumeMounts, corev1.VolumeMount{Name: "dev", MountPath: "/dev"})
		}, rights},
		"the node's files as holder": {func(p *corev1.PodSpec) { volume(p, "holder").VolumeSource = hostVolume("holder", "/etc").VolumeSource }, shape},
	}
	s := apiserver(t)
	run, c := withImages(newRun(t, "holders")), managerConfig(t)
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

// TestHoldersHaveNoToken: the API server gives the runner its token, and none to the containers that hold images.
func TestHoldersHaveNoToken(t *testing.T) {
	run := withImages(newRun(t, "holders-token"))
	account(t, run)
	pod := podOf(run.RunJob(managerConfig(t).Runner))
	if err := apiserver(t).as(t, jobControllerUser).Create(t.Context(), pod, client.DryRunAll); err != nil {
		t.Fatal(err)
	}
	isToken := func(m corev1.VolumeMount) bool { return strings.HasPrefix(m.Name, "kube-api-access-") }
	if !slices.ContainsFunc(pod.Spec.Containers[0].VolumeMounts, isToken) {
		t.Error("the runner has no token")
	}
	for _, c := range pod.Spec.InitContainers {
		if slices.ContainsFunc(c.VolumeMounts, isToken) {
			t.Errorf("%s has the token: %+v", c.Name, c.VolumeMounts)
		}
	}
}
