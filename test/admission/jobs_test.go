// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/internal/kube/jobspec"
)

// apply does what the manager does: server-side apply of what jobspec built.
func apply(t *testing.T, c client.Client, object client.Object) error {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		t.Fatal(err)
	}
	delete(content, "status")
	configuration := client.ApplyConfigurationFromUnstructured(&unstructured.Unstructured{Object: content})
	return c.Apply(t.Context(), configuration, client.FieldOwner(jobspec.FieldOwner), client.ForceOwnership)
}

// TestManagersJobs goes through the life of the Jobs that the manager makes, each step by whom does it in a cluster.
func TestManagersJobs(t *testing.T) {
	s := apiserver(t)
	manager, run, c := s.as(t, managerUser), newRun(t, "life"), managerConfig(t)
	for name, job := range map[string]*batchv1.Job{"run": run.RunJob(c.Runner), "cleanup": run.CleanupJob(c.Runner)} {
		t.Run(name, func(t *testing.T) {
			check(t, apply(t, manager, job), "")
			check(t, apply(t, manager, job), "")
			stored := &batchv1.Job{}
			if err := s.admin.Get(t.Context(), client.ObjectKeyFromObject(job), stored); err != nil {
				t.Fatal(err)
			}
			changed := stored.DeepCopy()
			changed.Spec.ActiveDeadlineSeconds = ptr.To[int64](1)
			check(t, s.admin.Update(t.Context(), changed), "the spec of a runner's Job or pod never changes")
			running := stored.DeepCopy()
			running.Status.StartTime, running.Status.Active = ptr.To(metav1.Now()), 1
			check(t, s.as(t, jobControllerUser).Status().Update(t.Context(), running), "")
			check(t, manager.Delete(t.Context(), stored, client.PropagationPolicy(metav1.DeletePropagationForeground)), "")
			unblock := client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"finalizers": null}}`))
			check(t, s.as(t, garbageCollector).Patch(t.Context(), stored, unblock), "")
		})
	}
}

func TestJobs(t *testing.T) {
	const shape = "of its node a runner sees /dev, /run/udev and the scratch directory, beside these its plan, claims " +
		"to read from, and nothing else"
	const command = "a runner executes or cleans up its own plan, or discovers what its node has, with no other " +
		"command, environment or hook"
	const oneContainer = "a runner's pod has one container, called runner, and no init container"
	const namespaces = "a runner has neither the network nor the IPC namespace of its node, and the scheduler places it"
	const mounts = "a runner's volumes are mounted where they belong"
	tests := map[string]struct {
		change func(*batchv1.Job, *corev1.PodSpec)
		want   string
	}{
		"as built": {},
		"another image": {
			change: func(_ *batchv1.Job, p *corev1.PodSpec) { p.Containers[0].Image = "example/other:1" },
			want:   "a runner has the image localhost/zfsbench/runner:0.1.0, not example/other:1",
		},
		"another version of the image": {
			change: func(_ *batchv1.Job, p *corev1.PodSpec) { p.Containers[0].Image = "localhost/zfsbench/runner:0.0.9" },
			want:   "a runner has the image localhost/zfsbench/runner:0.1.0, not localhost/zfsbench/runner:0.0.9",
		},
		"a second container": {
			change: func(_ *batchv1.Job, p *corev1.PodSpec) {
				p.Containers = append(p.Containers, corev1.Container{Name: "shell", Image: p.Containers[0].Image})
			},
			want: oneContainer,
		},
		"an init container": {
			change: func(_ *batchv1.Job, p *corev1.PodSpec) {
				p.InitContainers = []corev1.Container{{Name: "shell", Image: p.Containers[0].Image}}
			},
			want: oneContainer,
		},
		"another container": {change: func(_ *batchv1.Job, p *corev1.PodSpec) {
			p.Containers[0].Name = "shell"
		}, want: oneContainer},
		"the node's network": {change: func(_ *batchv1.Job, p *corev1.PodSpec) { p.HostNetwork = true }, want: namespaces},
		"the node's IPC":     {change: func(_ *batchv1.Job, p *corev1.PodSpec) { p.HostIPC = true }, want: namespaces},
		"past the scheduler": {change: func(_ *batchv1.Job, p *corev1.PodSpec) {
			p.NodeName = "control-plane"
		}, want: namespaces},
		"on any node": {
			// two policies refuse it; one of them answers
			change: func(_ *batchv1.Job, p *corev1.PodSpec) { p.Affinity = nil }, want: "node",
		},
		"on another node as well": {
			change: func(_ *batchv1.Job, p *corev1.PodSpec) {
				required := p.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
				required.NodeSelectorTerms[0].MatchFields[0].Operator = corev1.NodeSelectorOpNotIn
			},
			want: "a runner runs on the one node that its Job names",
		},
		"another account": {
			change: func(_ *batchv1.Job, p *corev1.PodSpec) { p.ServiceAccountName = "default" },
			want:   "a runner has a service account of its own, called zb- (a discovery zn-) and 16 hexadecimal digits",
		},
		"another runner's account": {
			change: func(j *batchv1.Job, _ *corev1.PodSpec) { j.Name = "zb-0000000000000000-run" },
			want: "a runner's Job is called like its service account, with -run or -cleanup (a discovery's with -discover) " +
				"at the end",
		},
		"another directory of the node": {
			change: func(_ *batchv1.Job, p *corev1.PodSpec) {
				p.Volumes = append(p.Volumes, hostVolume("more", "/var/lib/more"))
			},
			want: shape,
		},
		"a Secret": {
			change: func(_ *batchv1.Job, p *corev1.PodSpec) {
				p.Volumes = append(p.Volumes, corev1.Volume{
					Name: "kube-api-access-x", VolumeSource: corev1.VolumeSource{
						Secret: &corev1.SecretVolumeSource{SecretName: "other"},
					},
				})
			},
			want: shape,
		},
		"another plan": {
			change: func(_ *batchv1.Job, p *corev1.PodSpec) { volume(p, "plan").ConfigMap.Name = "other" }, want: shape,
		},
		"another directory as devices": {
			change: func(_ *batchv1.Job, p *corev1.PodSpec) { volume(p, "dev").HostPath.Path = "/etc" }, want: shape,
		},
		"another directory as udev's": {
			change: func(_ *batchv1.Job, p *corev1.PodSpec) { volume(p, "udev").HostPath.Path = "/run" }, want: shape,
		},
		"the scratch directory elsewhere": {
			change: func(_ *batchv1.Job, p *corev1.PodSpec) { mount(p, "scratch").MountPath = "/usr/local/bin" }, want: mounts,
		},
		"a part of the devices": {
			change: func(_ *batchv1.Job, p *corev1.PodSpec) { mount(p, "dev").SubPath = "mapper" }, want: mounts,
		},
		"a command": {change: func(_ *batchv1.Job, p *corev1.PodSpec) {
			p.Containers[0].Command = []string{"sh"}
		}, want: command},
		"another subcommand": {change: func(_ *batchv1.Job, p *corev1.PodSpec) {
			p.Containers[0].Args[0] = "run"
		}, want: command},
		"another plan's path": {change: func(_ *batchv1.Job, p *corev1.PodSpec) {
			p.Containers[0].Args[1] = "--plan=/dev/x"
		}, want: command},
		"no digest": {change: func(_ *batchv1.Job, p *corev1.PodSpec) {
			p.Containers[0].Args[2] = "--plan-digest="
		}, want: command},
		"another namespace": {change: func(_ *batchv1.Job, p *corev1.PodSpec) {
			p.Containers[0].Args[3] = "--namespace=default"
		}, want: command},
		"another base": {change: func(_ *batchv1.Job, p *corev1.PodSpec) {
			p.Containers[0].Args[4] = "--base=other"
		}, want: command},
		"one more argument": {
			change: func(_ *batchv1.Job, p *corev1.PodSpec) {
				p.Containers[0].Args = append(p.Containers[0].Args, "--more")
			}, want: command,
		},
		"no arguments": {change: func(_ *batchv1.Job, p *corev1.PodSpec) { p.Containers[0].Args = nil }, want: command},
		"environment": {
			change: func(_ *batchv1.Job, p *corev1.PodSpec) {
				p.Containers[0].Env = []corev1.EnvVar{{Name: "LD_PRELOAD", Value: "/dev/x"}}
			},
			want: command,
		},
		"a hook": {
			change: func(_ *batchv1.Job, p *corev1.PodSpec) {
				p.Containers[0].Lifecycle = &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{
					Exec: &corev1.ExecAction{Command: []string{"sh"}},
				}}
			},
			want: command,
		},
		"a probe": {
			change: func(_ *batchv1.Job, p *corev1.PodSpec) {
				p.Containers[0].LivenessProbe =
					&corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"sh"}}}}
			},
			want: command,
		},
	}
	manager, run, c := apiserver(t).as(t, managerUser), newRun(t, "jobs"), managerConfig(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			job := run.RunJob(c.Runner)
			if tt.change != nil {
				tt.change(job, &job.Spec.Template.Spec)
			}
			check(t, manager.Create(t.Context(), job, client.DryRunAll), tt.want)
		})
	}
}

func TestJobsOfOthers(t *testing.T) {
	job := newRun(t, "others").RunJob(managerConfig(t).Runner)
	err := apiserver(t).admin.Create(t.Context(), job, client.DryRunAll)
	check(t, err, "only "+managerUser+" creates Jobs in this namespace, and you are admin: create a ZfsBenchmark instead")
}

func hostVolume(name, path string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: path}}}
}

func volume(p *corev1.PodSpec, name string) *corev1.Volume {
	for i := range p.Volumes {
		if p.Volumes[i].Name == name {
			return &p.Volumes[i]
		}
	}
	return nil
}

func mount(p *corev1.PodSpec, name string) *corev1.VolumeMount {
	mounts := p.Containers[0].VolumeMounts
	for i := range mounts {
		if mounts[i].Name == name {
			return &mounts[i]
		}
	}
	return nil
}
