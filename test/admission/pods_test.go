// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/internal/kube/jobspec"
)

// account makes the service account of a run, without which the API server admits none of its pods.
func account(t *testing.T, run jobspec.Run) {
	t.Helper()
	check(t, apply(t, apiserver(t).as(t, managerUser), run.ServiceAccount()), "")
}

// runningPod stores a pod as the Job controller makes it.
func runningPod(t *testing.T, uid string) *corev1.Pod {
	t.Helper()
	run := newRun(t, uid)
	account(t, run)
	pod := podOf(run.RunJob(managerConfig(t).Runner))
	if err := apiserver(t).as(t, jobControllerUser).Create(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	// Every real pod has this volume, so the policy must let it in.
	if !slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool {
		return strings.HasPrefix(v.Name, "kube-api-access-")
	}) {
		t.Fatalf("the API server gave the pod no token: %v", pod.Spec.Volumes)
	}
	return pod
}

// TestPodsLife goes through what happens to a runner's pod after it was made, each step by whom does it in a cluster.
func TestPodsLife(t *testing.T) {
	s := apiserver(t)
	pod := runningPod(t, "pods-life")
	jobController := s.as(t, jobControllerUser)

	binding := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace},
		Target: corev1.ObjectReference{Kind: "Node", Name: "storage-0"}}
	check(t, s.clientset(t, "system:kube-scheduler").CoreV1().Pods(pod.Namespace).Bind(t.Context(), binding,
		metav1.CreateOptions{}), "")
	if err := s.admin.Get(t.Context(), client.ObjectKeyFromObject(pod), pod); err != nil {
		t.Fatal(err)
	}
	changed := pod.DeepCopy()
	changed.Spec.Containers[0].Image = "example/other:1"
	check(t, s.admin.Update(t.Context(), changed), "the spec of a runner's Job or pod never changes")

	counted := pod.DeepCopy()
	counted.Finalizers = nil
	check(t, jobController.Patch(t.Context(), counted, client.MergeFrom(pod)), "")
	check(t, jobController.Delete(t.Context(), counted), "")
}

func TestPods(t *testing.T) {
	const foreign = "pods in this namespace belong to a Job of zfs-benchmark-operator"
	const shape = "of its node a runner sees /dev, /run/udev and the scratch directory, beside these its plan, claims " +
		"to read from, and nothing else"
	tests := map[string]struct {
		change func(*corev1.Pod)
		want   string
	}{
		"as the Job says": {},
		"from before an upgrade": {
			change: func(p *corev1.Pod) { p.Spec.Containers[0].Image = "localhost/zfsbench/runner:0.0.9" },
		},
		"from before an upgrade, by digest": {
			change: func(p *corev1.Pod) { p.Spec.Containers[0].Image = "localhost/zfsbench/runner@sha256:00" },
		},
		"with arguments of another version": {change: func(p *corev1.Pod) {
			p.Spec.Containers[0].Args = []string{"execute"}
		}},
		"another image": {
			change: func(p *corev1.Pod) { p.Spec.Containers[0].Image = "localhost/zfsbench/runner-other:0.1.0" },
			want:   "a runner has the image localhost/zfsbench/runner:0.1.0, not localhost/zfsbench/runner-other:0.1.0",
		},
		"of no Job": {change: func(p *corev1.Pod) { p.OwnerReferences = nil }, want: foreign},
		"of another Job": {
			change: func(p *corev1.Pod) { p.OwnerReferences[0].Name = "other" }, want: foreign,
		},
		"of a Job in name only": {change: func(p *corev1.Pod) { p.OwnerReferences[0].Controller = nil }, want: foreign},
		"a second container": {
			change: func(p *corev1.Pod) {
				p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: "shell", Image: "example/other:1"})
			},
			want: "a runner's pod has one container, called runner, and no init container",
		},
		"another directory of the node": {
			change: func(p *corev1.Pod) { p.Spec.Volumes = append(p.Spec.Volumes, hostVolume("kube-api-access-x", "/etc")) },
			want:   shape,
		},
		"a system directory as scratch": {
			change: func(p *corev1.Pod) { volume(&p.Spec, "scratch").HostPath.Path = "/etc" },
			want:   "the scratch directory must be one of the operator's own, and /etc is not",
		},
		"the scratch directory elsewhere": {
			change: func(p *corev1.Pod) { mount(&p.Spec, "scratch").MountPath = "/usr/local/bin" },
			want:   "a runner's volumes are mounted where they belong",
		},
		"the node's network": {
			change: func(p *corev1.Pod) { p.Spec.HostNetwork = true },
			want:   "a runner has neither the network nor the IPC namespace of its node, and the scheduler places it",
		},
		"another account": {
			change: func(p *corev1.Pod) { p.Spec.ServiceAccountName, p.OwnerReferences[0].Name = "default", "default-run" },
			want:   "a runner has a service account of its own, called zb- (a discovery zn-) and 16 hexadecimal digits",
		},
	}
	s := apiserver(t)
	run, c := newRun(t, "pods"), managerConfig(t)
	account(t, run)
	fallback := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default", Namespace: runnerNamespace}}
	check(t, client.IgnoreAlreadyExists(s.admin.Create(t.Context(), fallback)), "")
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			pod := podOf(run.RunJob(c.Runner))
			if tt.change != nil {
				tt.change(pod)
			}
			check(t, s.as(t, jobControllerUser).Create(t.Context(), pod, client.DryRunAll), tt.want)
		})
	}
}

func TestPodsOfOthers(t *testing.T) {
	s, run := apiserver(t), newRun(t, "pods-of-others")
	account(t, run)
	for user, called := range map[string]string{
		administrator: "admin",
		"system:serviceaccount:kube-system:daemon-set-controller": "system:serviceaccount:kube-system:daemon-set-controller",
	} {
		t.Run(called, func(t *testing.T) {
			err := s.as(t, user).Create(t.Context(), podOf(run.RunJob(managerConfig(t).Runner)), client.DryRunAll)
			check(t, err, "only "+jobControllerUser+" creates pods in this namespace, and you are "+called+
				": create a ZfsBenchmark instead")
		})
	}
}

// TestPodsSubresources tries to get into a pod that runs, as the administrator.
func TestPodsSubresources(t *testing.T) {
	const want = "whoever gets into a runner's pod owns its node, so exec, attach, port-forward, proxy and ephemeral " +
		"containers are refused to everyone"
	s := apiserver(t)
	admin := s.clientset(t, administrator)
	pod := runningPod(t, "pods-subresources")
	for _, subresource := range []string{"attach", "exec", "portforward", "proxy"} {
		t.Run(subresource, func(t *testing.T) { check(t, connect(t, admin, pod, subresource), want) })
	}
	t.Run("ephemeralcontainers", func(t *testing.T) {
		shell := corev1.EphemeralContainer{EphemeralContainerCommon: corev1.EphemeralContainerCommon{
			Name: "shell", Image: "example/other:1", TerminationMessagePolicy: corev1.TerminationMessageReadFile,
			ImagePullPolicy: corev1.PullIfNotPresent,
		}}
		pod.Spec.EphemeralContainers = append(pod.Spec.EphemeralContainers, shell)
		_, err := admin.CoreV1().Pods(pod.Namespace).UpdateEphemeralContainers(t.Context(), pod.Name, pod,
			metav1.UpdateOptions{})
		check(t, err, want)
	})
}

// connect asks for a subresource that upgrades to a stream; no policy ever sees how far it would get.
func connect(t *testing.T, c *kubernetes.Clientset, pod *corev1.Pod, subresource string) error {
	t.Helper()
	request := c.CoreV1().RESTClient().Post().Resource("pods").Namespace(pod.Namespace).Name(pod.Name).
		SubResource(subresource)
	if subresource == "exec" {
		request = request.Param("command", "true")
	}
	return request.Do(t.Context()).Error()
}
