// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/internal/kube/jobspec"
)

func newDiscovery(t *testing.T, nodeUID string) jobspec.Discovery {
	t.Helper()
	return jobspec.Discovery{Namespace: managerConfig(t).RunnerNamespace, NodeName: "storage-0", NodeUID: nodeUID,
		Request:  jobspec.DiscoveryRequest{Scratch: managerConfig(t).Scratch.Directory},
		OwnerUID: "5b0f0c6e-1111-4222-8333-444455556666"}
}

// TestDiscoveryJobs: a discovery has the shape that the manager gives it, and sees less of its node than a runner.
func TestDiscoveryJobs(t *testing.T) {
	const readOnly = "a discovery sees /dev and /run/udev of its node and nothing else, all read-only"
	const command = "a runner executes or cleans up its own plan, or discovers what its node has, with no other command"
	tests := map[string]struct {
		change func(*batchv1.Job, *corev1.PodSpec)
		want   string
	}{
		"as built": {},
		"may write to /dev": {change: func(_ *batchv1.Job, p *corev1.PodSpec) {
			p.Containers[0].VolumeMounts[0].ReadOnly = false
		}, want: readOnly},
		"may write to its own files": {change: func(_ *batchv1.Job, p *corev1.PodSpec) {
			p.Containers[0].SecurityContext.ReadOnlyRootFilesystem = ptr.To(false)
		}, want: readOnly},
		"with a scratch directory": {change: func(_ *batchv1.Job, p *corev1.PodSpec) {
			p.Volumes = append(p.Volumes, hostVolume("scratch", "/var/lib/zfsbench"))
		}, want: readOnly},
		"with the node's root": {change: func(_ *batchv1.Job, p *corev1.PodSpec) {
			p.Volumes = append(p.Volumes, hostVolume("root", "/"))
		}, want: "of its node a runner sees"},
		"executes": {change: func(_ *batchv1.Job, p *corev1.PodSpec) {
			p.Containers[0].Args[0] = "execute"
		}, want: command},
		"reports elsewhere": {change: func(_ *batchv1.Job, p *corev1.PodSpec) {
			p.Containers[0].Args[2] = "--base=zn-0000000000000000"
		}, want: command},
		"called like a run": {change: func(j *batchv1.Job, p *corev1.PodSpec) {
			j.Name = p.ServiceAccountName + "-run"
		}, want: "a runner's Job is called like its service account"},
		"as a runner": {change: func(j *batchv1.Job, p *corev1.PodSpec) {
			p.ServiceAccountName = "zb-0123456789abcdef"
			j.Name = p.ServiceAccountName + "-run"
		}, want: "the scratch directory must be one of the operator's own"},
		"anywhere": {change: func(_ *batchv1.Job, p *corev1.PodSpec) {
			p.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchExpressions = nil
		}, want: "want a node that bears the label zfsbench.io/allowed=true"},
	}
	manager := apiserver(t).as(t, managerUser)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			job := newDiscovery(t, "discovery-jobs").Job(managerConfig(t).Runner)
			if tt.change != nil {
				tt.change(job, &job.Spec.Template.Spec)
			}
			check(t, manager.Create(t.Context(), job, client.DryRunAll), tt.want)
		})
	}
	job := newDiscovery(t, "discovery-jobs").Job(managerConfig(t).Runner)
	if err := apiserver(t).admin.Create(t.Context(), job, client.DryRunAll); err == nil {
		t.Error("an administrator started a discovery")
	}
}

// TestDiscoveryAccess: a discovery reads its request, writes its report, and nothing else.
func TestDiscoveryAccess(t *testing.T) {
	own, other := newDiscovery(t, "discovery-own"), newDiscovery(t, "discovery-other")
	manager := apiserver(t).as(t, managerUser)
	for _, d := range []jobspec.Discovery{own, other} {
		for _, object := range []client.Object{d.ServiceAccount(), d.Role(), d.RoleBinding()} {
			check(t, apply(t, manager, object), "")
		}
	}
	configMap := func(uid string) question {
		return question{resource: "configmaps", name: jobspec.DiscoveryName(uid), namespace: runnerNamespace}
	}
	access{
		may: each(configMap("discovery-own"), "get", "patch"),
		mayNot: join(
			each(configMap("discovery-own"), "create", "update", "delete", "list", "watch"),
			each(configMap("discovery-other"), "get", "patch"),
			each(question{resource: "secrets", namespace: runnerNamespace}, "get", "list"),
			each(question{resource: "pods", namespace: runnerNamespace}, "get", "list", "create", "delete"),
			each(question{resource: "nodes"}, "get", "list", "patch"),
			each(question{group: "zfsbench.io", resource: "nodestorages"}, "get", "list", "create", "patch"),
			each(question{group: "zfsbench.io", resource: "nodestorages", subresource: "status"}, "patch", "update"),
			each(question{group: "zfsbench.io", resource: "benchmarkdevicepolicies"}, "get", "list", "create", "patch"),
		),
	}.check(t, "system:serviceaccount:"+runnerNamespace+":"+jobspec.DiscoveryName("discovery-own"))
}

// TestDiscoveryPod: the Job controller makes the pod, with the volume for its token.
func TestDiscoveryPod(t *testing.T) {
	s, d := apiserver(t), newDiscovery(t, "discovery-pod")
	check(t, apply(t, s.as(t, managerUser), d.ServiceAccount()), "")
	pod := podOf(d.Job(managerConfig(t).Runner))
	check(t, s.as(t, jobControllerUser).Create(t.Context(), pod, client.DryRunAll), "")
	pod = podOf(d.Job(managerConfig(t).Runner))
	pod.Spec.Containers[0].VolumeMounts[0].ReadOnly = false
	check(t, s.as(t, jobControllerUser).Create(t.Context(), pod, client.DryRunAll),
		"a discovery sees /dev and /run/udev of its node and nothing else, all read-only")
}
