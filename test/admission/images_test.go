// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// defaultAccount is what the API server gives to a pod that names no service account.
func defaultAccount(t *testing.T) {
	t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default", Namespace: runnerNamespace}}
	check(t, client.IgnoreAlreadyExists(apiserver(t).admin.Create(t.Context(), account)), "")
}

// TestHolders: a pod that holds the files of images comes in as it is built, and in no other way.
func TestHolders(t *testing.T) {
	const name = "a pod that holds images is called like the plan that owns it, with -images at the end"
	const shape = "a pod that holds images has no namespace of its node, no token, no groups, and no volume but the " +
		"holder's directory"
	const containers = "a pod that holds images has at most four containers, one for each, and one before them that " +
		"installs the holder"
	const command = "a container that holds the files of an image starts the runner's own program, with no other " +
		"command, environment, port or hook"
	const rights = "a container that holds the files of an image has no privileges, and mounts the holder's directory only"
	const requests = "a container that holds the files of an image requests CPU and memory"
	const node = "node" // two policies may refuse it; one of them answers
	run, c := withImages(newRun(t, "holders")), managerConfig(t)
	term := func(p *corev1.PodSpec) *corev1.NodeSelectorTerm {
		return &p.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0]
	}
	image := func(p *corev1.PodSpec) *corev1.Container { return &p.Containers[0] }
	install := func(p *corev1.PodSpec) *corev1.Container { return &p.InitContainers[0] }
	tests := map[string]struct {
		change func(*corev1.PodSpec)
		want   string
	}{
		"as built":                {func(*corev1.PodSpec) {}, ""},
		"of another image":        {func(p *corev1.PodSpec) { image(p).Image = "example/other:1" }, ""},
		"the node's processes":    {func(p *corev1.PodSpec) { p.HostPID = true }, shape},
		"the node's network":      {func(p *corev1.PodSpec) { p.HostNetwork = true }, shape},
		"the node's IPC":          {func(p *corev1.PodSpec) { p.HostIPC = true }, shape},
		"processes of each other": {func(p *corev1.PodSpec) { p.ShareProcessNamespace = ptr.To(true) }, shape},
		"past the scheduler":      {func(p *corev1.PodSpec) { p.NodeName = "control-plane" }, shape},
		"a token":                 {func(p *corev1.PodSpec) { p.AutomountServiceAccountToken = nil }, shape},
		"the account of a runner": {func(p *corev1.PodSpec) { p.ServiceAccountName = run.Base() }, shape},
		"a group of the node": {func(p *corev1.PodSpec) {
			p.SecurityContext = &corev1.PodSecurityContext{SupplementalGroups: []int64{6}}
		}, shape},
		"a group for its files": {func(p *corev1.PodSpec) {
			p.SecurityContext = &corev1.PodSecurityContext{FSGroup: ptr.To(int64(6))}
		}, shape},
		"a directory of the node": {func(p *corev1.PodSpec) {
			p.Volumes = append(p.Volumes, hostVolume("more", "/etc"))
		}, shape},
		"a directory as holder": {func(p *corev1.PodSpec) {
			p.Volumes[0].VolumeSource = hostVolume("", "/etc").VolumeSource
		}, shape},
		"a Secret as holder": {func(p *corev1.PodSpec) { p.Volumes[0].VolumeSource = secret("other") }, shape},
		"on any node":        {func(p *corev1.PodSpec) { p.Affinity = nil }, node},
		"on all but one node": {func(p *corev1.PodSpec) {
			term(p).MatchFields[0].Operator = corev1.NodeSelectorOpNotIn
		}, node},
		"on an unlabelled node": {func(p *corev1.PodSpec) {
			term(p).MatchExpressions = nil
		}, "a pod that holds its images, want a node that bears the label"},
		"another name":    {func(p *corev1.PodSpec) { image(p).Name = "shell" }, containers},
		"a fifth image":   {func(p *corev1.PodSpec) { image(p).Name = "image-4" }, containers},
		"nobody installs": {func(p *corev1.PodSpec) { p.InitContainers = nil }, containers},
		"a second one installs": {func(p *corev1.PodSpec) {
			second := *install(p)
			second.Name = "image-3"
			p.InitContainers = append(p.InitContainers, second)
		}, containers},
		"a command of the image": {func(p *corev1.PodSpec) { image(p).Command = []string{"sh"} }, command},
		"no command":             {func(p *corev1.PodSpec) { image(p).Command = nil }, command},
		"another number":         {func(p *corev1.PodSpec) { image(p).Command[2] = "3" }, command},
		"arguments":              {func(p *corev1.PodSpec) { image(p).Args = []string{"x"} }, command},
		"environment": {func(p *corev1.PodSpec) {
			image(p).Env = []corev1.EnvVar{{Name: "A", Value: "b"}}
		}, command},
		"a port of the node": {func(p *corev1.PodSpec) {
			image(p).Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: 80}}
		}, command},
		"a hook": {func(p *corev1.PodSpec) {
			image(p).StartupProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
				Exec: &corev1.ExecAction{Command: []string{"sh"}},
			}}
		}, command},
		"installed by another image": {func(p *corev1.PodSpec) { install(p).Image = "example/other:1" }, command},
		"installed by another version": {func(p *corev1.PodSpec) {
			install(p).Image = "localhost/zfsbench/runner:0.0.9"
		}, command},
		"installed by a command": {func(p *corev1.PodSpec) { install(p).Command = []string{"sh"} }, command},
		"installed elsewhere":    {func(p *corev1.PodSpec) { install(p).Args[1] = "/dev/x" }, command},
		"privileged": {func(p *corev1.PodSpec) {
			image(p).SecurityContext.Privileged, image(p).SecurityContext.AllowPrivilegeEscalation = ptr.To(true), nil
		}, rights},
		"as root": {func(p *corev1.PodSpec) {
			image(p).SecurityContext.RunAsUser = ptr.To(int64(0))
		}, rights},
		"as a user of others": {func(p *corev1.PodSpec) {
			image(p).SecurityContext.RunAsUser = ptr.To(int64(65534))
		}, rights},
		"in a group of others": {func(p *corev1.PodSpec) {
			image(p).SecurityContext.RunAsGroup = ptr.To(int64(6))
		}, rights},
		"without security context": {func(p *corev1.PodSpec) { image(p).SecurityContext = nil }, rights},
		"with a capability": {func(p *corev1.PodSpec) {
			image(p).SecurityContext.Capabilities.Add = []corev1.Capability{"SYS_ADMIN"}
		}, rights},
		"with all capabilities": {func(p *corev1.PodSpec) { image(p).SecurityContext.Capabilities = nil }, rights},
		"without filter":        {func(p *corev1.PodSpec) { image(p).SecurityContext.SeccompProfile = nil }, rights},
		"a root to write to":    {func(p *corev1.PodSpec) { image(p).SecurityContext.ReadOnlyRootFilesystem = nil }, rights},
		"a holder to write to":  {func(p *corev1.PodSpec) { image(p).VolumeMounts[0].ReadOnly = false }, rights},
		"a holder elsewhere":    {func(p *corev1.PodSpec) { image(p).VolumeMounts[0].MountPath = "/usr" }, rights},
		"without requests":      {func(p *corev1.PodSpec) { image(p).Resources = corev1.ResourceRequirements{} }, requests},
	}
	defaultAccount(t)
	account(t, run)
	manager := apiserver(t).as(t, managerUser)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			pod := run.ImagePod(c.Runner)
			tt.change(&pod.Spec)
			check(t, manager.Create(t.Context(), pod, client.DryRunAll), tt.want)
		})
	}
	names := map[string]func(*corev1.Pod){
		"of no plan":            func(p *corev1.Pod) { p.OwnerReferences = nil },
		"of another plan":       func(p *corev1.Pod) { p.OwnerReferences[0].Name = "zb-0000000000000000" },
		"of a plan, not owned":  func(p *corev1.Pod) { p.OwnerReferences[0].Controller = nil },
		"called like a runner":  func(p *corev1.Pod) { p.Name = strings.TrimSuffix(p.Name, "images") + "run-abcde" },
		"with a name by chance": func(p *corev1.Pod) { p.GenerateName, p.Name = p.Name, "" },
	}
	for title, change := range names {
		t.Run(title, func(t *testing.T) {
			pod := run.ImagePod(c.Runner)
			change(pod)
			check(t, manager.Create(t.Context(), pod, client.DryRunAll), name)
		})
	}
}

// TestHoldersOfOthers: nobody but the manager makes such a pod, and the manager makes no other.
func TestHoldersOfOthers(t *testing.T) {
	defaultAccount(t)
	s, run, c := apiserver(t), withImages(newRun(t, "holders-of-others")), managerConfig(t)
	account(t, run)
	check(t, s.as(t, administrator).Create(t.Context(), run.ImagePod(c.Runner), client.DryRunAll),
		"creates pods in this namespace")
	check(t, s.as(t, jobControllerUser).Create(t.Context(), run.ImagePod(c.Runner), client.DryRunAll),
		"pods in this namespace belong to a Job of zfs-benchmark-operator")
	check(t, s.as(t, managerUser).Create(t.Context(), podOf(run.RunJob(c.Runner)), client.DryRunAll),
		"a pod that holds images is called like the plan that owns it")
}

// TestJobsHaveNoImages: what holds an image comes into no pod of a Job, which sees the node's processes.
func TestJobsHaveNoImages(t *testing.T) {
	const want = "a runner's pod has one container, called runner, and no init container"
	s, run, c := apiserver(t), withImages(newRun(t, "no-images")), managerConfig(t)
	account(t, run)
	images := run.ImagePod(c.Runner).Spec
	change := func(p *corev1.PodSpec) {
		p.InitContainers = slices.Concat(images.InitContainers, images.Containers)
		p.Volumes = append(p.Volumes, images.Volumes...)
	}
	job := run.RunJob(c.Runner)
	change(&job.Spec.Template.Spec)
	check(t, s.as(t, managerUser).Create(t.Context(), job, client.DryRunAll), want)
	pod := podOf(run.RunJob(c.Runner))
	change(&pod.Spec)
	check(t, s.as(t, jobControllerUser).Create(t.Context(), pod, client.DryRunAll), want)
}

// TestHoldersHaveNoToken: the API server gives the runner its token, and none to the pod that holds images.
func TestHoldersHaveNoToken(t *testing.T) {
	defaultAccount(t)
	pod := withImages(newRun(t, "holders-token")).ImagePod(managerConfig(t).Runner)
	if err := apiserver(t).as(t, managerUser).Create(t.Context(), pod, client.DryRunAll); err != nil {
		t.Fatal(err)
	}
	if len(pod.Spec.Volumes) != 1 {
		t.Errorf("the pod has volumes %+v", pod.Spec.Volumes)
	}
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		if len(c.VolumeMounts) != 1 {
			t.Errorf("%s mounts %+v", c.Name, c.VolumeMounts)
		}
	}
}
